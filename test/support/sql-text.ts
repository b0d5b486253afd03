// @ts-expect-error -- a tool without types
import { tokensOf } from '../../.tools/sql.mjs';
// @ts-expect-error -- a tool without types
import { createSqlExpander } from '../../.tools/sql-code.mjs';

const expand = createSqlExpander() as (text: string) => string;

/** Returns an expression as the server gets it: `State.started` is `'r'`. */
export function sqlText(expression: string): string {
  return expand(expression);
}

/** Returns what replaces a part of an SQL text, however its lines are broken. */
export function replaceSql(right: string, wrong: string): (sql: string) => string {
  const words = (tokensOf(right) as readonly { kind: string; text: string }[])
    .filter(({ kind }) => kind !== 'space')
    .map(({ kind, text }) => (kind === 'word' ? `\\b${text}\\b` : literally(text)));
  const pattern = new RegExp(words.join('\\s*'), 'g');
  return (sql) => sql.replaceAll(pattern, () => wrong.trim());
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
