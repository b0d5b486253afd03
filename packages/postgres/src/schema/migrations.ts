import { ROUTINES, STEPS } from './sql-code.ts';

/** What one version of this package makes of a schema. */
export interface SchemaBuild {
  /** The numbered steps, oldest first: the step at index 0 leads to version 1. */
  readonly steps: readonly string[];
  /** The functions and views, a definition each. */
  readonly routines: readonly string[];
  /** The oldest version whose calls these functions still answer. */
  readonly servesFrom: number;
}

/**
 * Every step of the schema, oldest first. A step that has been released is never changed. A change of a function alone is
 * a step as well, an empty one: the version also identifies the functions of a schema.
 */
export const MIGRATIONS: readonly string[] = STEPS;

/**
 * The oldest version whose brokers may keep working on a schema of this version, during a rolling upgrade. It is raised by
 * a major version only, and by whatever an older broker could not work with: a function that was removed, a parameter
 * without default, another reply.
 */
const SERVES_FROM = 1;

/** The schema of this version of the package. */
export const BUILD: SchemaBuild = { steps: MIGRATIONS, routines: ROUTINES, servesFrom: SERVES_FROM };

/** Fills in the name of the schema, its channel and its lock. The name itself is never searched. */
export function fillIn(template: string, schema: string): string {
  const values: Readonly<Record<string, string>> = {
    '{schema}': quoteName(schema),
    '{channel}': quoteText(channelOf(schema)),
    '{lock}': String(lockOf(schema)),
  };
  return template.replace(/\{(?:schema|channel|lock)\}/g, (name) => values[name] ?? name);
}

/** Puts a text between dollar signs, with a tag that the text does not contain. */
export function dollarQuote(text: string, tag: string): string {
  const used = text.includes(`$${tag}`) ? `${tag}_` : tag;
  return used === tag ? `$${tag}$${text}$${tag}$` : dollarQuote(text, used);
}

/** Quotes an identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a string. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns the channel of the notifications: an identifier that needs no quotes. */
export function channelOf(schema: string): string {
  return `retry_${(lockOf(schema) >>> 0).toString(16)}`;
}

/** Returns the first key of the advisory locks of this schema: a 32-bit hash of its name. */
export function lockOf(schema: string): number {
  let hash = 0x72657472;
  for (const letter of schema) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return hash;
}
