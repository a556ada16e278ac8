// A place in the text of a pattern, character by character, and the two ways in which reading it can end early.

/** The dialect does not have it: the pattern is wrong, or belongs to another dialect. */
export class Invalid extends Error {}

/** The dialect has it, JavaScript cannot say it: refused, rather than searched with another meaning. */
export class Untranslatable extends Error {}

export class Cursor {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#characters = [...text];
  }

  /** "" at the end. */
  get next(): string {
    return this.peek(0);
  }

  peek(ahead: number): string {
    return this.#characters[this.#at + ahead] ?? "";
  }

  take(): string {
    const character = this.next;
    if (character === "") throw new Invalid("it ends too early");
    this.#at++;
    return character;
  }

  /** ASCII only. */
  eat(text: string): boolean {
    for (let n = 0; n < text.length; n++) if (this.peek(n) !== text[n]) return false;
    this.#at += text.length;
    return true;
  }

  while(belongs: (character: string) => boolean): string {
    let taken = "";
    while (this.next !== "" && belongs(this.next)) taken += this.take();
    return taken;
  }

  /** What comes before `end`, which is taken as well; undefined, and nothing taken, when it does not come. */
  until(end: string): string | undefined {
    const length = this.#characters.indexOf(end, this.#at) - this.#at;
    if (length < 0) return;
    const taken = this.#characters.slice(this.#at, this.#at + length).join("");
    this.#at += length + 1;
    return taken;
  }

  mark(): number {
    return this.#at;
  }

  backTo(mark: number): void {
    this.#at = mark;
  }
}
