/** Draws the diagram of docs/lifecycle.md again: `npx tsx docs/lifecycle-diagram.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lifecycleDiagram } from '@retry/core/lifecycle';

const START = '<!-- generated: npx tsx docs/lifecycle-diagram.ts -->';
const END = '<!-- end of generated -->';

/** The page that shows the diagram. */
export const page: URL = new URL('lifecycle.md', import.meta.url);

/**
 * The text with the diagram of the table of arrows between its markers, whatever stood there.
 *
 * @throws {Error} when the markers are not there
 */
export function withDiagram(text: string): string {
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start === -1 || end < start) throw new Error(`docs/lifecycle.md has to hold ${START} and then ${END}.`);
  return `${text.slice(0, start)}${START}\n\n\`\`\`mermaid\n${lifecycleDiagram()}\`\`\`\n\n${text.slice(end)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(page, withDiagram(readFileSync(page, 'utf8')));
  console.log('docs/lifecycle.md');
}
