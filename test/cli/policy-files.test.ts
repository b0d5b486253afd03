import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '@retry/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './run-in-memory.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'retry-policy-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const UTF8 = Buffer.from('{"retryOn":[{"message":"café"}]}');

/** Returns what `lint` says of these bytes in a file, and on standard input. */
async function lintBoth(bytes: Uint8Array) {
  writeFileSync(join(folder, 'policy.json'), bytes);
  const ofFile = await run(['lint', 'policy.json', '--json'], { cwd: folder });
  let printed = '';
  const stream = {
    write: (text: string, done?: () => void) => {
      printed += text;
      done?.();
    },
  };
  const stdin = (async function* () {
    for (const byte of bytes) yield Uint8Array.of(byte);
  })();
  const { exitCode } = await runCli(['lint', '-', '--json'], {
    ...{ stdin, stdout: stream, stderr: stream, env: {} },
  });
  return [
    { exitCode: ofFile.exitCode, said: `${ofFile.out}${ofFile.err}` },
    { exitCode, said: printed },
  ];
}

describe('a policy in a file, and on standard input', () => {
  it.each([
    ['UTF-8', UTF8],
    ['UTF-8 with a byte order mark', Buffer.concat([Buffer.from('\ufeff'), UTF8])],
  ])('is read as %s', async (_, bytes) => {
    for (const { exitCode, said } of await lintBoth(bytes)) {
      expect(exitCode).toBe(0);
      expect(JSON.parse(said).findings).toEqual([]);
    }
  });

  it.each([
    ['Latin-1', Buffer.from(UTF8.toString(), 'latin1')],
    ['UTF-16', Buffer.from(`\ufeff${UTF8}`, 'utf16le')],
    ['cut within a character', UTF8.subarray(0, -5)],
  ])('is refused as %s, in which its texts would be others', async (_, bytes) => {
    for (const { exitCode, said } of await lintBoth(bytes)) {
      expect(exitCode).toBe(2);
      expect(JSON.parse(said).error.code).toBe('UNREADABLE_FILE');
      expect(said).toContain('is not UTF-8');
    }
  });

  it('is refused where it is larger than 16 MiB, however it is given', async () => {
    writeFileSync(join(folder, 'large.json'), Buffer.alloc(16 * 1024 * 1024 + 1, ' '));

    const { err, exitCode } = await run(['lint', 'large.json'], { cwd: folder });

    expect(exitCode).toBe(2);
    expect(err).toContain('large.json is longer than 16777216 bytes. Give a smaller file.');
  });
});
