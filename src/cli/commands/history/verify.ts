// stet verify: is the journal whole and unaltered, as far as it and what is known from elsewhere can tell.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { formatSignedHead, parseSignedHead, publicKeyOf } from "../../../backends/journal/signed-heads.ts";
import type { Verification } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { newestEntry } from "../../../kernel/history/journal.ts";
import { plural } from "../../../words/plural.ts";
import { OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { type Command, type Given, type Terminal, value } from "../../options/command.ts";
import { textOf, UsageError } from "../../options/given.ts";
import { answer, paint, shortList } from "../../terminal/print.ts";

export const verify: Command = {
  name: "verify",
  summary: "Check that the journal is whole and unaltered",
  takes: [],
  usage: "verify [--expected-head SEQ:HASH | --signed-heads FILE] [--public-key KEY]",
  options: {
    ...OPEN_OPTIONS,
    "expected-head": value(
      "SEQ:HASH",
      "a head that an earlier verify printed and that you kept elsewhere: the journal must contain it",
    ),
    "signed-heads": value("FILE", "a file with signed heads kept elsewhere: the newest in it must be in the journal"),
    "public-key": {
      ...value("KEY", "an ed25519 key whose signatures are believed: a PEM file, or its 32 bytes as hex or base64"),
      multiple: true,
    },
  },
  examples: [
    "stet verify",
    "stet verify --expected-head 42:9f86d0…",
    "stet verify --signed-heads ~/heads.txt --public-key ~/stet.pub.pem",
  ],
  async run(terminal, given) {
    const publicKeys = keysIn(terminal, given);
    const expectedHead = expectedIn(terminal, given);
    return withWorkspace(terminal, given, async (workspace) => {
      const total = await newestEntry(workspace.backend).then(
        (entry) => entry?.seq ?? 0,
        () => 0,
      );
      const verification = await workspace.verify({
        ...(expectedHead !== undefined && { expectedHead }),
        ...(publicKeys.length > 0 && { publicKeys }),
        progress: (done) => terminal.progress(`checked ${done}${total === 0 ? "" : ` of ${total}`} entries`),
      });
      answer(terminal, given, verification, formatVerification(terminal, verification));
      if (verification.ok && !given.json && expectedHead === undefined) terminal.err(NOTE_THE_HEAD);
      return verification.ok ? 0 : 1;
    });
  },
};

const NOTE_THE_HEAD =
  "A cut tail can only be seen against a head kept elsewhere: note this one, and give it to --expected-head.\n";
const MAX_PROBLEMS = 20;
const HEAD = /^(?:\d+:)?[0-9a-f]{64}$/;

function formatVerification(
  terminal: Terminal,
  { ok, entries, head, problems, signedHeads, unfinished = [] }: Verification,
): string {
  const signed = signedHeads === 0 ? "" : `, ${plural(signedHeads, "signed head")}`;
  const said = ok ? paint(terminal, "green", "The journal is whole") : paint(terminal, "red", "The journal is damaged");
  const at = (seq: number, what: string): string => `${seq === 0 ? "" : `at entry ${seq}: `}${printable(what)}`;
  return [
    `${said}: ${plural(entries, "entry")}${signed}.\n`,
    shortList(problems, ({ seq, problem }) => at(seq, problem), MAX_PROBLEMS),
    unfinished.length > 0 ? `${paint(terminal, "yellow", "Not finished after a crash")}:\n` : "",
    ...unfinished.slice(-MAX_PROBLEMS).map(({ seq, message }) => `  ${at(seq, message)}\n`),
    `head ${head.seq}:${printable(head.hash)}\n`,
  ].join("");
}

function keysIn(terminal: Terminal, { values }: Given): string[] {
  const given = Array.isArray(values["public-key"]) ? values["public-key"] : [];
  return given.map((key) => (isKey(key) ? key : keyInFile(terminal, key)));
}

function keyInFile(terminal: Terminal, file: string): string {
  const text = fileAt(terminal, file, "public key");
  if (isKey(text)) return text;
  throw new UsageError(
    `There is no ed25519 public key in ${printable(file)}.`,
    "Give a PEM file, or its 32 bytes as hex or base64.",
  );
}

function isKey(text: string): boolean {
  try {
    publicKeyOf(text);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function expectedIn(terminal: Terminal, given: Given): string | undefined {
  const head = textOf(given, "expected-head");
  const file = textOf(given, "signed-heads");
  if (head !== undefined && !HEAD.test(head.trim()) && parseSignedHead(head.trim()) === null)
    throw new UsageError(
      "--expected-head is neither SEQ:HASH, nor a hash, nor a signed head.",
      "Give it as it was printed.",
    );
  if (file === undefined) return head;
  if (head !== undefined) throw new UsageError("Give --expected-head or --signed-heads, not both.");
  const known = fileAt(terminal, file, "signed-heads")
    .split("\n")
    .flatMap((line) => parseSignedHead(line) ?? []);
  const newest = known.sort((a, b) => b.seq - a.seq)[0];
  if (newest === undefined)
    throw new UsageError(`There is no signed head in ${file}.`, "A signed head is a line that begins with stet1:.");
  return formatSignedHead(newest);
}

function fileAt({ cwd }: Terminal, file: string, what: string): string {
  try {
    return readFileSync(resolve(cwd, file), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`The ${what} ${printable(file)} cannot be read: ${code ?? error}.`);
  }
}
