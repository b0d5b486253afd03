import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One case as in its file; the fields depend on the kind. */
export interface VectorCase {
  readonly id: string;
  readonly kind: string;
  /** Absent if a system has only one version; `both` if two agree. */
  readonly version?: string;
  readonly config?: Readonly<Record<string, unknown>> | null;
  /** What the system raised instead of answering. */
  readonly error?: string;
}

/** The cases of one system. */
export interface VectorFile {
  readonly system: string;
  readonly cases: readonly VectorCase[];
}

/** Folder of the vectors: the one that `RETRY_VECTORS` names, else the one beside this file. */
export const vectorFolder: string =
  process.env['RETRY_VECTORS'] || fileURLToPath(new URL('vectors', import.meta.url));

/** Every vector file of the folder, in the order of their names. */
export function readVectors(folder: string): readonly VectorFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (names.length === 0) throw new Error(`No vectors in ${folder}.`);
  return names.sort().map((name) => parseVectors(readFileSync(join(folder, name), 'utf8')));
}

/** The text of one vector file. */
export function parseVectors(text: string): VectorFile {
  return JSON.parse(text, reviveNumber);
}

/** The case once for each of its versions. */
export function variantsOf(given: VectorCase, versions: readonly string[]): readonly VectorCase[] {
  return given.version === 'both' ? versions.map((version) => ({ ...given, version })) : [given];
}

/** An integer that a double cannot represent exactly. */
const LONG_NUMBER = /^-?\d{16,}$/;

/** JSON has no infinite numbers, and few parsers support long ones: the vectors write both as text. */
function reviveNumber(key: string, value: unknown): unknown {
  if (value === 'Infinity' || value === '-Infinity' || value === 'NaN') return Number(value);
  // The value of a header is text.
  if (key === 'value' || typeof value !== 'string' || !LONG_NUMBER.test(value)) return value;
  // Integers are unlimited in Python and Ruby; larger ones are replaced by the largest double.
  return Math.min(Math.max(Number(value), -Number.MAX_VALUE), Number.MAX_VALUE);
}
