import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../support/repository.ts';

const VITEST = join(root, 'node_modules/vitest/vitest.mjs');
const CONFIG = 'test/architecture/fixtures/output/vitest.config.ts';

interface Run {
  readonly status: number | null;
  readonly output: string;
}

/** Runs the tests of `fixtures/output` whose path has this text. */
function runTests(name: string): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [VITEST, 'run', '--config', CONFIG, name], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', RETRY_TESTS: 'quick' }, // as `npm test`
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
}

describe('a run of tests that pass and let output out', () => {
  let run: Run;
  beforeAll(() => {
    run = runTests('noisy');
  });

  it('fails', () => {
    expect(run.status).toBe(1);
    expect(run.output).toMatch(/\n failed after \d+ s: 3 tests of 3 files ran\n/);
  });

  it.each([
    [
      'what is written by the console',
      'noisy-console.fixture.ts',
      'prints what went wrong: it let out console.error: RangeError: of a hook',
    ],
    [
      'a process warning, also after the hooks of the file',
      'noisy-warning.fixture.ts',
      'it let out RetryWarning: runs wait',
    ],
  ])('names %s, and where that was', (_what, file, message) => {
    expect(run.output).toContain(message);
    expect(run.output).toMatch(new RegExp(`❯ .*${file}:\\d+:\\d+`));
  });

  it('names what a file leaves replaced, so that others would not be heard', () => {
    expect(run.output).toContain('noisy-mute.fixture.ts');
    expect(run.output).toContain('it left emitWarning replaced: restore it');
  });
});

describe('a run of tests that say nothing', () => {
  let run: Run;
  beforeAll(() => {
    run = runTests('quiet');
  });

  it('passes', () => {
    expect(run.status).toBe(0);
  });

  it('ends with what ran, what did not and why, the result and the time', () => {
    expect(run.output).toMatch(/ What ran on which engine\n {2}memory +1 test\n/);
    expect(run.output).toMatch(
      / What did not run\n {2}1 +it needs a moon\n {2}1 +without a reason: is left out\n/,
    );
    expect(run.output.trimEnd()).toMatch(/\n passed after \d+ s: 1 test of 1 file ran$/);
  });
});
