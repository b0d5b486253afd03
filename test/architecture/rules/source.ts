import ts from 'typescript';

/** A file: its path from the repository's root, with `/`, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Several rules read the same file, and parsing takes most of their time. */
const parsed = new Map<string, ts.SourceFile>();

/** Parses one file on its own. */
export function parse({ path, text }: Source): ts.SourceFile {
  const known = parsed.get(path);
  if (known?.text === text) return known;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  parsed.set(path, file);
  return file;
}

/** Returns the node and its descendants without its tokens, outermost first. */
export function walk(node: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (each: ts.Node): void => {
    found.push(each);
    ts.forEachChild(each, visit);
  };
  visit(node);
  return found;
}

/** Writes the finding of a rule: `path:line message`. */
export function violation(node: ts.Node, message: string): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName}:${line + 1} ${message}`;
}
