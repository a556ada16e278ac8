// stet verify: is the journal whole and unaltered, as far as it and what is known from elsewhere can tell.
import { formatSignedHead, parseSignedHead, publicKeyOf } from "../../../backends/journal/signed-heads.ts";
import type { Verification } from "../../../core/backend.ts";
import { ifRefused } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { newestEntry } from "../../../kernel/history/journal.ts";
import { plural } from "../../../words/plural.ts";
import { OPEN_OPTIONS, withWorkspace } from "../../open/workspaces.ts";
import { type Command, type Given, type Terminal, value } from "../../options/command.ts";
import { textOf, textOfFile, UsageError } from "../../options/given.ts";
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
    const keys = given.values["public-key"] ?? [];
    const publicKeys = (keys as readonly string[]).map((key) => keyIn(terminal, key));
    const expectedHead = expectedIn(terminal, given);
    return withWorkspace(terminal, given, async (workspace) => {
      const total = await newestEntry(workspace.backend).then(
        (entry) => entry?.seq ?? 0,
        () => 0,
      );
      const verification = await workspace.verify({
        expectedHead,
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

/** A key, or a file with one. */
function keyIn(terminal: Terminal, given: string): string {
  return isKey(given) ? given : textOfFile(terminal, given, "public key");
}

function isKey(text: string): boolean {
  try {
    publicKeyOf(text);
    return true;
  } catch (error) {
    return ifRefused(false)(error);
  }
}

function expectedIn(terminal: Terminal, given: Given): string | undefined {
  const head = textOf(given, "expected-head");
  const file = textOf(given, "signed-heads");
  if (file === undefined) return head;
  if (head !== undefined) throw new UsageError("Give --expected-head or --signed-heads, not both.");
  const known = textOfFile(terminal, file, "signed-heads")
    .split("\n")
    .flatMap((line) => parseSignedHead(line) ?? []);
  const newest = known.sort((a, b) => b.seq - a.seq)[0];
  if (newest === undefined)
    throw new UsageError(`There is no signed head in ${file}.`, "A signed head is a line that begins with stet1:.");
  return formatSignedHead(newest);
}
