// What a model receives of stet in Claude Code, Codex, Gemini CLI and opencode: the real programs, led by a scripted model.
import { surfaceNames } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { OWN_LINES, projectFor, SURFACES, scriptFor, withPicture } from "./conversations.ts";
import { CONVERSATIONS, DRIVEN, missing, type Project, required } from "./programs.ts";
import { type Script, scriptedModel } from "./scripted-model.ts";

describe.each(DRIVEN)("%s", (program) => {
  const why = missing(program);
  it.skipIf(why === undefined)("can be run here", (context) => {
    if (required) throw new Error(why);
    context.skip(why);
  });

  it.skipIf(why !== undefined).each(surfaceNames)(
    "%s: lines, warnings and refusals, word for word",
    async (surface) => {
      const { told, refusal } = SURFACES[surface]!;
      const project = projectFor(surface);
      const received = await converse(project, scriptFor(surface, project));
      expect(received).toHaveLength(3);
      const [read, edited, refused] = received.map(({ text }) => text) as [string, string, string];
      for (const line of OWN_LINES)
        expect(
          read.split("\n").some((each) => each.endsWith(line)),
          read,
        ).toBe(true);
      expect(edited).toMatch(told);
      for (const words of refusal) expect(refused).toMatch(words);
      expect(refused).not.toContain("stet/failure");
    },
  );

  it.skipIf(why !== undefined)("hands on the union of files, with what each command requires", async () => {
    const [schema] = (await schemasIn(projectFor("files"))) as readonly {
      properties: { params: { anyOf: Shown[] } };
    }[];
    const { anyOf } = schema!.properties.params;
    expect(anyOf.map(({ properties, required }) => [properties.command.enum, required])).toEqual([
      [["ls"], ["command"]],
      [["read"], ["command", "file_path"]],
      [["write"], ["command", "file_path", "content"]],
      [["edit"], ["command", "file_path", "old_string", "new_string"]],
    ]);
  });

  it.skipIf(why !== undefined)("shows a picture as a picture", async () => {
    const project = withPicture(projectFor("compact"));
    const received = await converse(project, ({ length }) =>
      length === 0 ? ["Read", { file_path: "dot.png" }] : undefined,
    );
    expect(received).toMatchObject([{ text: expect.stringContaining("1 × 1 pixels"), images: 1 }]);
  });

  it.skipIf(why !== undefined || program === "gemini" || program === "opencode")(
    "shows only the data where there is any: why text is the default",
    async () => {
      const { root, server } = projectFor("tracked");
      const project = { root, server: { ...server, args: [...server.args, "--structured"] } };
      const received = await converse(project, scriptFor("tracked", project));
      const read = JSON.parse(received[0]!.text);
      expect(read).toMatchObject({ warnings: [], content: expect.stringContaining(OWN_LINES[0]!) });
      expect(read.text).toBe(read.content);
      expect(received[0]!.text).not.toContain(OWN_LINES[0]);
      expect(JSON.parse(received[1]!.text).warnings).toHaveLength(1);
      for (const words of SURFACES.tracked!.refusal) expect(received[2]!.text).toMatch(words);
    },
  );

  async function converse(project: Project, script: Script) {
    return (await modelIn(project, script)).received();
  }

  async function schemasIn(project: Project) {
    return (await modelIn(project, () => undefined)).offered();
  }

  async function modelIn(project: Project, script: Script) {
    const model = await scriptedModel("stet", script);
    try {
      const { code, out } = await CONVERSATIONS[program](project, model.url);
      expect(code, out).toBe(0);
      expect(model.offered().length, out).toBeGreaterThan(0);
      return model;
    } finally {
      await model.close();
    }
  }
});

interface Shown {
  readonly properties: { readonly command: { readonly enum: readonly string[] } };
  readonly required: readonly string[];
}
