import { createPublicKey, generateKeyPairSync } from "node:crypto";
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { verifyJournal } from "../../src/backends/disk/journal/verify.ts";
import { GENESIS, parseLine, seal } from "../../src/backends/journal/entry.ts";
import {
  formatSignedHead,
  generateSigningKeys,
  parseSignedHead,
  publicKeyOf,
  signHead,
  verifySignedHead,
} from "../../src/backends/journal/signed-heads.ts";
import {
  change,
  filledJournal,
  journalIn,
  linesOf,
  segmentsOf,
  sha,
  temporaryDirectory,
  writeLines,
} from "./journal-fixture.ts";

const keys = generateSigningKeys();
const others = generateSigningKeys();
const publicKeys = [keys.publicKey];
const claim = { seq: 7, head: sha("head"), at: "2026-01-31T12:00:00.000Z" };

describe("a signed head", () => {
  const signedHead = signHead(claim, keys.privateKey);

  it("is one line of text and reads back", () => {
    const text = formatSignedHead(signedHead);
    expect(text).toMatch(/^stet1:7:[0-9a-f]{64}:2026-01-31T12:00:00\.000Z:[\w-]+$/);
    expect(parseSignedHead(` ${text}\n`)).toEqual(signedHead);
  });

  it("is believed only by its key and unchanged", () => {
    const key = publicKeyOf(keys.publicKey);
    expect(verifySignedHead(signedHead, [publicKeyOf(others.publicKey), key])).toBe(true);
    expect(verifySignedHead(signedHead, [publicKeyOf(others.publicKey)])).toBe(false);
    expect(verifySignedHead({ ...signedHead, seq: 8 }, [key])).toBe(false);
    expect(verifySignedHead({ ...signedHead, head: GENESIS }, [key])).toBe(false);
    expect(verifySignedHead({ ...signedHead, at: "2027-01-31T12:00:00.000Z" }, [key])).toBe(false);
  });

  it.each(["", "stet1:7", `stet2${formatSignedHead(signedHead).slice(5)}`, formatSignedHead(signedHead).slice(0, -1)])(
    "is not read from %j",
    (text) => expect(parseSignedHead(text)).toBeNull(),
  );

  it("takes public keys as PEM, hex, base64 and base64url", () => {
    const raw = Buffer.from(createPublicKey(keys.publicKey).export({ format: "jwk" }).x!, "base64url");
    for (const text of [keys.publicKey, raw.toString("hex"), raw.toString("base64"), raw.toString("base64url")]) {
      expect(verifySignedHead(signedHead, [publicKeyOf(text)])).toBe(true);
    }
  });

  it("refuses other keys", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const pem = rsa.publicKey.export({ type: "spki", format: "pem" }).toString();
    for (const text of ["", "abc", "abc".repeat(99), pem]) {
      expect(() => publicKeyOf(text)).toThrow(expect.objectContaining({ kind: "invalid_input" }));
    }
    for (const key of ["abc", rsa.privateKey]) {
      expect(() => signHead(claim, key)).toThrow(expect.objectContaining({ kind: "invalid_input" }));
    }
  });
});

describe("a journal with signed heads", () => {
  function signedJournal() {
    const { dir, journal } = filledJournal(5);
    const first = journal.signHead(keys.privateKey);
    journal.append(change("a", null, "v"));
    const second = journal.signHead(keys.privateKey);
    return { dir, journal, file: segmentsOf(dir)[0]!, first, second };
  }

  it("verifies, counting those signed by a given key", async () => {
    const { journal, first, second } = signedJournal();
    expect(parseSignedHead(first.text)?.seq).toBe(5);
    expect(second.entry).toMatchObject({ seq: 8, outcome: "note", prev: parseSignedHead(second.text)?.head });
    expect(await journal.verify({ publicKeys })).toMatchObject({ ok: true, entries: 8, signedHeads: 2 });
    expect(await journal.verify({ publicKeys, expectedHead: first.text })).toMatchObject({ ok: true, signedHeads: 2 });
    expect(await journal.verify()).toMatchObject({ ok: true, signedHeads: 0 });
    expect((await journal.verify({ publicKeys: [others.publicKey, keys.publicKey] })).ok).toBe(true);
  });

  it("shows a tail cut off below the newest signed head", async () => {
    const { dir, file } = signedJournal();
    writeLines(file, linesOf(file).slice(0, 6));
    const { problems } = await verifyJournal(dir, { publicKeys });
    expect(problems).toEqual([{ seq: 7, problem: expect.stringContaining("cut off") }]);
  });

  it("shows a cut tail by a copy kept elsewhere when everything here was cut too", async () => {
    const { dir, file, second } = signedJournal();
    writeLines(file, linesOf(file).slice(0, 6));
    writeLines(`${dir}/checkpoints.jsonl`, linesOf(`${dir}/checkpoints.jsonl`).slice(0, 1));
    expect((await verifyJournal(dir, { publicKeys })).ok).toBe(true);
    expect((await verifyJournal(dir, { publicKeys, expectedHead: second.text })).ok).toBe(false);
    expect((await verifyJournal(dir, { expectedHead: second.text })).ok).toBe(false);
  });

  function rewritten(lines: readonly string[], sign?: string): string[] {
    let prev = GENESIS;
    return lines.map((line) => {
      const { seq, at, prev: _, hash: __, ...draft } = parseLine(line);
      const forged = formatSignedHead(signHead({ seq: seq - 1, head: prev, at }, sign ?? others.privateKey));
      const isSigning = draft.tool === "sign" && sign !== undefined;
      const sealed = seal(
        { ...draft, session: "forged", ...(isSigning && { details: { checkpoint: forged } }) },
        { seq, at, prev },
      );
      prev = sealed.entry.hash;
      return sealed.line;
    });
  }

  it("shows a rewritten log: old signed heads kept, forged, or left out", async () => {
    for (const forge of ["kept", "forged", "left out"] as const) {
      const { dir, file, first } = signedJournal();
      const lines = linesOf(file).filter((line) => forge !== "left out" || !line.includes('"checkpoint"'));
      fs.unlinkSync(`${dir}/checkpoints.jsonl`);
      writeLines(
        file,
        rewritten(forge === "left out" ? lines.slice(0, 5) : lines, forge === "forged" ? others.privateKey : undefined),
      );
      expect((await verifyJournal(dir, { publicKeys })).ok).toBe(false);
      expect((await verifyJournal(dir, { expectedHead: first.text })).ok).toBe(false);
    }
  });

  it("shows a signed head that was replayed elsewhere in the journal", async () => {
    const { dir, journal, first } = signedJournal();
    journal.append({ ...first.entry, details: { checkpoint: first.text } });
    expect((await verifyJournal(dir, { publicKeys })).problems).toEqual([
      { seq: 9, problem: expect.stringContaining("not of the entry before it") },
    ]);
  });

  it("shows signed heads of unknown keys and unreadable ones", async () => {
    const { dir, journal } = signedJournal();
    fs.appendFileSync(`${dir}/checkpoints.jsonl`, '"stet1:nonsense"\n');
    expect((await journal.verify({ publicKeys })).ok).toBe(false);
    expect((await journal.verify({ publicKeys: [others.publicKey] })).problems.length).toBeGreaterThan(1);
  });

  it("does not mind a signed head line that a crash cut short", async () => {
    const { dir, journal } = signedJournal();
    fs.appendFileSync(`${dir}/checkpoints.jsonl`, '"stet1:9');
    expect(await journal.verify({ publicKeys })).toMatchObject({ ok: true, signedHeads: 2 });
    journal.signHead(keys.privateKey);
    expect(await journal.verify({ publicKeys })).toMatchObject({ ok: true, signedHeads: 3 });
    const { text } = journalIn(temporaryDirectory()).signHead(keys.privateKey);
    expect(parseSignedHead(text)?.head).toBe(GENESIS);
  });
});
