import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listPackageNames, readText, root } from '../support/repository.ts';

const PNPM = 'pnpm/10.0.0 npm/? node/v20.19.0 linux x64';

interface Packed {
  readonly status: number | null;
  readonly stderr: string;
}

/** Runs the prepack script in a folder, as a packer with this user agent does. */
function prepack(folder: string, userAgent: string): Packed {
  const env = { ...process.env, npm_config_user_agent: userAgent };
  return spawnSync(process.execPath, [join(root, '.tools/prepack.mjs')], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

describe.each(listPackageNames())('package %s', (name) => {
  const folder = join(root, 'packages', name);

  it('checks the packer before it is packed', () => {
    const { scripts, files } = JSON.parse(readText(`packages/${name}/package.json`));

    expect(scripts).toEqual({ prepack: 'node ../../.tools/prepack.mjs' });
    expect(files).toContain('CHANGELOG.md');
  });

  it.each([
    ['npm', 'npm/11.0.0 node/v20.19.0 linux x64 workspaces/false'],
    ['yarn', 'yarn/1.22.22 npm/? node/v20.19.0 linux x64'],
    ['this', ''],
  ])(
    'is not packed by %s, which would publish the source; the error names the command that works',
    (packer, userAgent) => {
      const { status, stderr } = prepack(folder, userAgent);

      expect(status).toBe(1);
      expect(stderr).toContain(`@retry/${name} was not packed: packed by ${packer} it could not be imported`);
      expect(stderr).toContain(`npm run pnpm -- --filter @retry/${name} pack`);
      expect(stderr).toContain('npm run release');
    },
  );
});

describe('a package that pnpm packs', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retry-prepack-'));
    for (const part of ['src', 'dist']) mkdirSync(join(folder, part));
    const entry = { types: './dist/index.d.ts', default: './dist/index.js' };
    const publishConfig = { exports: { '.': entry, './package.json': './package.json' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: '@retry/made', publishConfig }));
    write('src/index.ts', 1_000);
    for (const file of ['dist/index.js', 'dist/index.d.ts']) write(file, 2_000);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(path: string, modifiedAt: number): void {
    writeFileSync(join(folder, path), '');
    utimesSync(join(folder, path), modifiedAt, modifiedAt);
  }

  it('is packed as it is built', () => {
    expect(prepack(folder, PNPM)).toMatchObject({ status: 0, stderr: '' });
  });

  it('is refused while a file that it publishes is missing', () => {
    rmSync(join(folder, 'dist/index.d.ts'));

    const { status, stderr } = prepack(folder, PNPM);

    expect(status).toBe(1);
    expect(stderr).toContain('./dist/index.d.ts is missing. Run `npm run build`.');
  });

  it('is refused if its source has changed since the build', () => {
    write('src/other.ts', 3_000);

    const { status, stderr } = prepack(folder, PNPM);

    expect(status).toBe(1);
    expect(stderr).toContain('src/other.ts has changed since it was built');
  });
});

describe('npm run release', () => {
  it('refuses an unknown option before it does anything', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, '.tools/release.mjs'), '--dryrun'], {
      encoding: 'utf8',
    });

    expect(status).toBe(1);
    expect(stderr).toContain('npm run release -- --dry-run');
  });
});
