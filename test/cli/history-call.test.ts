// stet call and stet verify: tools from the shell, and the journal checked.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateSigningKeys } from "stet";
import { describe, expect, it } from "vitest";
import { segmentOf } from "../support/history.ts";
import { deskWith, linesOf, rewrite } from "./history-support.ts";

describe("stet call", () => {
  it("prints the result as JSON, or as the text that a model reads; the exit code tells the outcome", async () => {
    const { run, root } = deskWith({ "a.txt": "one\n" });
    const read = (await run(["call", "read_file", '{"path":"a.txt"}'])).json();
    expect(read).toMatchObject({ ok: true, data: { content: expect.any(String), sha256: expect.any(String) } });
    const edit = JSON.stringify({
      path: "a.txt",
      expectedSha256: read.data.sha256,
      edits: [{ oldText: "one", newText: "1" }],
    });
    expect(await run(["call", "edit_file", edit])).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("1\n");
    const stale = await run(["call", "edit_file", edit]);
    expect(stale.code).toBe(1);
    expect(stale.json()).toMatchObject({ ok: false, error: { kind: "stale_file" } });
    const text = await run(["call", "edit_file", edit, "--text"]);
    expect(text).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Edit rejected, file unchanged\..*changed by ada/s),
    });
    expect(linesOf(await run(["log", "--agent", "ada", "--refused"]))).toHaveLength(2);
  });

  it("takes its input from stdin or a file, and the names for the journal from options", async () => {
    const { run, root } = deskWith({ "input.json": '{"path":"b.txt","content":"b"}' });
    const who = ["--agent", "bot", "--session", "night shift"];
    expect(await run(["call", "create_file", "-", ...who], { stdin: '{"path":"a.txt","content":"a"}' })).toMatchObject({
      code: 0,
    });
    expect(await run(["call", "create_file", "@input.json", ...who])).toMatchObject({ code: 0 });
    expect(await run(["undo", "--session", "night shift", "--yes"])).toMatchObject({ code: 0 });
    expect(existsSync(join(root, "a.txt")) || existsSync(join(root, "b.txt"))).toBe(false);
  });

  it("several calls share one session, so that a read opens the gate; the first refusal ends them", async () => {
    const { run, root } = deskWith({ "a.txt": "one\n" });
    const read = ["Read", '{"file_path":"a.txt"}'];
    const edit = ["Edit", '{"file_path":"a.txt","old_string":"one","new_string":"two"}'];
    const tracked = ["call", "--surface", "tracked"];
    expect(await run([...tracked, ...edit])).toMatchObject({ code: 1 });
    expect(linesOf(await run([...tracked, ...read, ...edit]))).toHaveLength(2);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two\n");
    const stopped = await run([...tracked, ...edit, ...read]);
    expect([stopped.code, linesOf(stopped).length]).toEqual([1, 1]);
  });

  it("tells damage at the first edit: nobody would see it at the next one", async () => {
    const { run } = deskWith({ "a.rb": "def one\n  1\nend\n" });
    const edit = ["Edit", '{"file_path":"a.rb","old_string":"1\\nend","new_string":"1"}'];
    const calls = ["Read", '{"file_path":"a.rb"}', ...edit];
    const told = await run(["call", "--surface", "tracked", "--text", ...calls]);
    expect(told.out).toMatch(/Warning: a\.rb, line \d: .* does not parse after it/);
  });

  it("called wrongly: nothing happens, and the words say what is right", async () => {
    const { run, root } = deskWith({});
    const create = ["create_file", '{"path":"a.txt","content":"a"}'];
    expect(await run(["call", ...create, "read_fil", "{}"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Use one of .*read_file/),
    });
    expect(await run(["call", ...create, "read_file"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/needs input as JSON for read_file/),
    });
    expect(await run(["call", ...create, "read_file", "{path:1}"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/is not JSON/),
    });
    expect(await run(["call", "create_file", "@missing.json"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/ENOENT/),
    });
    expect(await run(["call"])).toMatchObject({ code: 2 });
    expect(existsSync(join(root, "a.txt"))).toBe(false);
  });

  it("a tool that the policy takes away is not offered, which is something else than a wrong name", async () => {
    const create = ["call", "create_file", '{"path":"a.txt","content":"a"}'];
    const { run, root } = deskWith({});
    const flag = await run([...create, "--read-only", "--json"]);
    expect([flag.code, flag.out]).toEqual([1, expect.stringContaining("the workspace is read-only.")]);
    expect(flag.json()).toMatchObject({ ok: false, error: { kind: "permission_denied" } });
    expect(existsSync(join(root, "a.txt"))).toBe(false);
    const policy = deskWith({ "stet.config.json": '{"policy":{"allowedActions":["read"]}}' });
    const denied = await policy.run(create);
    expect([denied.code, denied.out]).toEqual([1, expect.stringContaining("the policy allows nothing that it does.")]);
  });

  it("says that the surface files forgets what it was given", async () => {
    const { run, root } = deskWith({});
    const wrote = await run([
      "call",
      "files",
      '{"command":"write","path":"a.txt","content":"a"}',
      "--surface",
      "files",
    ]);
    expect(wrote).toMatchObject({ err: expect.stringMatching(/in memory: they are gone now/) });
    expect(existsSync(join(root, "a.txt"))).toBe(false);
  });
});

const RECORD_HEADER_BYTES = 24;

describe("stet verify", () => {
  it("prints the head, which proves later that nothing was cut off", async () => {
    const desk = deskWith({ "a.txt": "0\n" });
    await desk.as("anna", async (session) => {
      for (let n = 1; n <= 3; n++) await rewrite(session, "a.txt", `${n}\n`);
    });
    const whole = await desk.run(["verify"]);
    expect(whole).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^The journal is whole: 3 entries\.\nhead 3:[0-9a-f]{64}\n$/),
    });
    const head = /head (\S+)/.exec(whole.out)![1]!;
    expect((await desk.run(["verify", "--expected-head", head])).code).toBe(0);

    const segment = segmentOf(desk.root);
    const bytes = readFileSync(segment, "latin1");
    writeFileSync(segment, bytes.slice(0, bytes.indexOf('{"seq":3,') - RECORD_HEADER_BYTES), "latin1");
    const cut = { code: 1, out: expect.stringMatching(/at entry 3: .*tail was cut off/) };
    expect(await desk.run(["verify", "--expected-head", head])).toMatchObject(cut);
    expect(await desk.run(["verify"])).toMatchObject({ code: 1, out: expect.stringMatching(/Entry 3 is missing/) });
    writeFileSync(segment, bytes.replace("write_file", "WRITE_file"), "latin1");
    const altered = await desk.run(["verify", "--json"]);
    expect(altered.code).toBe(1);
    expect(altered.json()).toMatchObject({ ok: false, problems: [{ seq: 1 }] });
    expect(await desk.run(["verify"])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/The journal is damaged[\s\S]*at entry 1: Entry 1 was altered/),
    });
    // What is not damaged can still be read.
    const { code, out } = await desk.run(["log", "--json"]);
    expect([code, out.match(/"seq":\s?\d/g)?.map((seq) => seq.at(-1))]).toEqual([
      0,
      expect.arrayContaining(["2", "3"]),
    ]);
    expect(out).not.toContain("WRITE_file");
    expect(await desk.run(["verify", "--expected-head", "nonsense"])).toMatchObject({ code: 1 });
  });

  it("believes signed heads kept elsewhere when they are signed by the key given", async () => {
    const desk = deskWith({ "a.txt": "0\n" });
    const { publicKey, privateKey } = generateSigningKeys();
    const text = await desk.as("anna", async (session, workspace) => {
      await rewrite(session, "a.txt", "1\n");
      return (await workspace.backend.sign(privateKey)).text;
    });
    writeFileSync(join(desk.root, "kept.txt"), `# heads\n${text}\n`);
    writeFileSync(join(desk.root, "key.pem"), publicKey);
    writeFileSync(join(desk.root, "other.pem"), generateSigningKeys().publicKey);
    const check = (...args: string[]) => desk.run(["verify", ...args]);
    expect(await check("--signed-heads", "kept.txt", "--public-key", "key.pem")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/1 signed/),
    });
    expect(await check("--signed-heads", "kept.txt", "--public-key", "other.pem")).toMatchObject({ code: 1 });
    expect(await check("--signed-heads", "key.pem")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no signed head in key\.pem/),
    });
    expect(await check("--public-key", "missing.pem")).toMatchObject({ code: 2 });
    expect(await check("--public-key", "kept.txt")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/not an ed25519 key/),
    });
  });
});
