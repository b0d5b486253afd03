import ts from 'typescript';

/** A file: its path from the repository's root, with `/`, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Parses one file on its own. */
export function parse({ path, text }: Source): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
}

/** Yields the node and its descendants, outermost first. */
export function* walk(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* walk(child);
}

/** Writes the finding of a rule: `path:line message`. */
export function violation(node: ts.Node, message: string): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName}:${line + 1} ${message}`;
}
