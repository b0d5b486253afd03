/** Returns policy text as indented JSON. `1e999` is written as the text `Infinity`, which policies take. */
export function writeJson(text: string): string {
  return `${JSON.stringify(JSON.parse(text), (_, value: unknown) => writable(value), 2)}\n`;
}

function writable(value: unknown): unknown {
  return value === Infinity || value === -Infinity ? String(value) : value;
}

/** Returns policy text as a TypeScript module; the text is JSON. */
export function writeCode(text: string): string {
  const value: unknown = JSON.parse(writeJson(text));
  return [
    "import { definePolicy } from '@retry/core';",
    '',
    `export const policy = definePolicy(${writeValue(value, '')});`,
    '',
  ].join('\n');
}

const MAX_WIDTH = 80;

function writeValue(value: unknown, indent: string): string {
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((item) => writeValue(item, inner))
    : Object.entries(value).map(([key, item]) => `${writeKey(key)}: ${writeValue(item, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return `${open}${close}`;
  const space = isList ? '' : ' ';
  const line = `${open}${space}${entries.join(', ')}${space}${close}`;
  if (indent !== '' && line.length + indent.length <= MAX_WIDTH && !line.includes('\n')) return line;
  return `${open}\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${indent}${close}`;
}

function writeText(text: string): string {
  const quoted = JSON.stringify(text);
  return text.includes("'") || quoted.includes('\\') ? quoted : `'${text}'`;
}

/** `__proto__` as a plain key would set the prototype instead. */
function writeKey(key: string): string {
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : writeText(key);
}
