// What an entry point of the package exports, by its declarations: every name, where it is declared, and whether it is documented.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

export interface Exported {
  readonly name: string;
  /** Places without a documentation comment: the declaration itself, or members of it. */
  readonly undocumented: readonly string[];
}

/** From another package: its own documentation holds. */
const FOREIGN: Declared = { documented: true, members: [], takes: () => [] };

interface Declared {
  readonly documented: boolean;
  readonly members: readonly Member[];
  /** Of a function: the members of the types of its parameters, exported or not. */
  readonly takes: () => readonly Member[];
}

interface Member {
  readonly name: string;
  readonly documented: boolean;
}

/** `file`: the declarations of an entry point. Whatever cannot be listed by name is an error. */
export function exportedFrom(file: string): Exported[] {
  return [...moduleAt(file)]
    .map(([name, declared]) => ({
      name,
      undocumented: [
        ...(declared.documented ? [] : [name]),
        ...[...declared.members, ...declared.takes()].flatMap((member) =>
          member.documented ? [] : [`${name}.${member.name}`],
        ),
      ],
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the type of the node
  readonly [field: string]: any;
}

const modules = new Map<string, ReadonlyMap<string, Declared>>();

function moduleAt(file: string): ReadonlyMap<string, Declared> {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const names = new Map<string, Declared>();
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  const isDocumented = ({ start }: Node): boolean =>
    docs.some(({ end }) => end <= start && text.slice(end, start).trim() === "");
  const body = program.body as unknown as readonly Node[];
  const local = localsOf(body, isDocumented, (name) => local.get(name) ?? imported(file, body, name));
  for (const statement of body) {
    if (statement.type === "ExportAllDeclaration") throw new Error(`${file} exports everything of another module`);
    if (statement.type !== "ExportNamedDeclaration") continue;
    if (statement.declaration) for (const name of namesOf(statement.declaration)) names.set(name, local.get(name)!);
    for (const { local: from, exported } of statement.specifiers) {
      const declared =
        statement.source === null
          ? (local.get(from.name) ?? imported(file, body, from.name))
          : elsewhere(file, statement.source.value, from.name);
      if (declared === undefined) throw new Error(`${file}: nothing is known of ${exported.name}`);
      names.set(exported.name, declared);
    }
  }
  modules.set(file, names);
  return names;
}

function elsewhere(file: string, from: string, name: string): Declared | undefined {
  if (!from.startsWith(".")) return FOREIGN;
  return moduleAt(join(dirname(file), from.replace(/\.ts$/, ".d.ts"))).get(name);
}

function imported(file: string, body: readonly Node[], name: string): Declared | undefined {
  for (const { type, source, specifiers } of body) {
    const found = type === "ImportDeclaration" && specifiers.find(({ local }: Node) => local.name === name);
    if (found) return elsewhere(file, source.value, found.imported.name);
  }
  return undefined;
}

function localsOf(
  body: readonly Node[],
  isDocumented: (node: Node) => boolean,
  find: (name: string) => Declared | undefined,
): Map<string, Declared> {
  const local = new Map<string, Declared>();
  for (const statement of body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    for (const name of declaration ? namesOf(declaration) : []) {
      const members = membersOf(declaration).map((member) => ({
        name: memberName(member),
        documented: isDocumented(member),
      }));
      // Of several declarations of one function the first has the words.
      if (local.has(name)) continue;
      const takes = (): Member[] =>
        parameterTypes(declaration).flatMap((type) => (find(type)?.members ?? []).map((each) => within(type, each)));
      local.set(name, { documented: isDocumented(statement), members: onlyFirst(members), takes });
    }
  }
  return local;
}

function within(type: string, { name, documented }: Member): Member {
  return { name: `${type}.${name}`, documented };
}

function parameterTypes({ params }: Node): string[] {
  const types: Node[] = (params ?? []).map(({ typeAnnotation }: Node) => typeAnnotation?.typeAnnotation);
  return types.flatMap((type) => (type?.type === "TSTypeReference" ? (type.typeName.name ?? []) : []));
}

function namesOf(declaration: Node): string[] {
  if (declaration.type === "VariableDeclaration") return declaration.declarations.map(({ id }: Node) => id.name);
  return declaration.id ? [declaration.id.name] : [];
}

/** Of an interface, a class, or a type written out in place: what an editor lists behind the dot, or between braces. */
function membersOf(node: Node): Node[] {
  if (node.type === "TSInterfaceDeclaration") return node.body.body;
  if (node.type === "ClassDeclaration") return node.body.body.filter(isPublic);
  if (node.type === "TSTypeAliasDeclaration") return literalMembers(node.typeAnnotation).filter(isNamed);
  if (isSettings(node)) return literalMembers(node.declarations[0].id.typeAnnotation?.typeAnnotation);
  return [];
}

/** A constant with a setting in each field; its name is in capitals. */
function isSettings({ type, declarations }: Node): boolean {
  return type === "VariableDeclaration" && /^[A-Z_]+$/.test(declarations[0].id.name);
}

/** Not what only marks a type, nor names that are free. */
function isNamed(member: Node): boolean {
  return member.type !== "TSIndexSignature" && !memberName(member).startsWith("__");
}

function literalMembers(type: Node | undefined): Node[] {
  if (type === undefined) return [];
  if (type.type === "TSTypeLiteral") return type.members;
  if (type.type === "TSUnionType" || type.type === "TSIntersectionType") return type.types.flatMap(literalMembers);
  return type.type === "TSParenthesizedType" ? literalMembers(type.typeAnnotation) : [];
}

function isPublic({ key, kind, accessibility }: Node): boolean {
  return key?.type !== "PrivateIdentifier" && kind !== "constructor" && accessibility !== "private";
}

function memberName({ key, type }: Node): string {
  return key?.name ?? key?.value ?? type;
}

function onlyFirst<T extends { readonly name: string }>(members: readonly T[]): T[] {
  return [...new Map([...members].reverse().map((member) => [member.name, member])).values()].reverse();
}
