// Telling the demo: numbered steps, the text that a model would read, and a check behind every claim.
import { styleText } from "node:util";

export function createStory(out) {
  const colour = out.isTTY === true && !process.env.NO_COLOR;
  const paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const held = [];
  const broken = [];
  let steps = 0;
  const print = (text = "") => out.write(`${text}\n`);

  return {
    begin(root) {
      print(paint("bold", "stet: agents change only what they have seen, and nothing they change is lost"));
      print(`A workspace in ${root}, an agent, and what can go wrong.`);
    },

    step(title) {
      print();
      print(paint(["bold", "cyan"], `${++steps}. ${title}`));
    },

    say(text) {
      print(`   ${text}`);
    },

    /** A tool call of the agent: what it sent, and the very text that it is answered with. */
    called(tool, input, { ok, text }) {
      print(paint("dim", `   agent> ${tool} ${short(JSON.stringify(input))}`));
      const bar = paint(ok ? "green" : "red", "   | ");
      for (const line of text.trimEnd().split("\n")) print(bar + line);
    },

    /** A command of a person, and what it printed. */
    ran(command, printed) {
      print(paint("dim", `   $ ${command}`));
      for (const line of printed.trimEnd().split("\n")) print(paint("blue", "   | ") + line);
    },

    /** A claim, printed as true or as broken. */
    check(claim, holds) {
      (holds ? held : broken).push(claim);
      print(`   ${holds ? paint("green", "ok") : paint(["bold", "red"], "NOT SO")} ${claim}`);
    },

    broke(error) {
      broken.push(String(error));
      print(`\n   ${paint(["bold", "red"], "BROKE")} ${error?.stack ?? error}`);
    },

    /** The exit code. */
    end() {
      print();
      if (broken.length === 0) {
        print(paint(["bold", "green"], `All ${held.length} claims in ${steps} steps held.`));
        return 0;
      }
      print(paint(["bold", "red"], `${broken.length} of ${held.length + broken.length} claims did not hold:`));
      for (const claim of broken) print(`   ${claim}`);
      return 1;
    },
  };
}

function short(text) {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
