import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Policy } from '@retry/core';
import { parsePolicy } from '@retry/core';
import type { CliEnvironment } from '../environment.ts';
import { CliError } from '../errors.ts';

/** The longest file or standard input that is read as JSON. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/**
 * Reads JSON text as people give it on a command line: text that begins with `{` or `[` is meant itself, `-` is standard
 * input, anything else is the path of a file.
 *
 * @throws {CliError} `UNREADABLE_FILE` when there is no such file, or it cannot be read, is too long, or is not UTF-8
 */
export async function readSource(source: string, { stdin, cwd }: CliEnvironment): Promise<string> {
  if (/^\s*[{[]/.test(source)) return source;
  if (source === '-') return textOf(await readAll(stdin, source), source);
  return textOf(await readFile(resolve(cwd, source), source), source);
}

async function readFile(path: string, source: string): Promise<Uint8Array> {
  try {
    return await readAll(createReadStream(path), source);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const cure = 'Give a file, the JSON itself in quotes, or - for standard input.';
    throw new CliError('UNREADABLE_FILE', `${source} cannot be read (${code}). ${cure}`, { cause: error });
  }
}

/**
 * Reads a policy from a file, JSON text or standard input.
 *
 * @throws {CliError} `UNREADABLE_FILE`
 * @throws {InvalidOptionsError} when it is not a policy; it lists every problem
 */
export async function readPolicy(source: string, environment: CliEnvironment): Promise<Policy> {
  return parsePolicy(await readSource(source, environment));
}

async function readAll(stream: AsyncIterable<Uint8Array | string>, source: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    bytes += Buffer.byteLength(chunk);
    if (bytes <= MAX_JSON_BYTES) continue;
    const message = `${source} is longer than ${MAX_JSON_BYTES} bytes. Give a smaller file.`;
    throw new CliError('UNREADABLE_FILE', message);
  }
  return Buffer.concat(chunks);
}

/** Returns text without the byte order mark that some editors begin it with, and which is no JSON. */
function textOf(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const cure = 'Save it as UTF-8; what PowerShell 5 writes by > is UTF-16.';
    throw new CliError(
      'UNREADABLE_FILE',
      `${source} is not UTF-8, and would be read as other text. ${cure}`,
      {
        cause,
      },
    );
  }
}
