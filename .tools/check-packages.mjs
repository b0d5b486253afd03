/** Checks each publishable package as its users get it: packed, installed elsewhere, imported, required, typed. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConsumer } from './check-consumer.mjs';
import { runPnpm } from './pnpm.mjs';
import { report, runBin } from './run.mjs';
import { listPublishable } from './workspace.mjs';

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'retry-packages-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const packages = listPublishable();
const packed = packages.map(pack).filter((entry) => entry !== undefined);
for (const { name, tarball } of packed) {
  report(`publint ${name}`, () => runBin('publint', 'publint', [tarball, '--strict']));
  report(`attw ${name}`, () => checkWithAttw(tarball));
}
if (packages.length === 0) report('packages', () => ({ code: 1, output: 'No publishable package found.' }));
else if (packed.length === packages.length) checkConsumer(join(folder, 'consumer'), packed);

/** Packs one package as a release would (pnpm applies publishConfig); nothing when that failed. */
function pack({ name, folder: source, manifest }) {
  const destination = join(folder, name);
  const passed = report(`pack ${name}`, () =>
    runPnpm(['pack', '--pack-destination', destination], { cwd: source }),
  );
  if (!passed) return undefined;
  const [file] = readdirSync(destination).filter((entry) => entry.endsWith('.tgz'));
  return { name, manifest, tarball: join(destination, file) };
}

/** attw is content with a package that has no types at all; we are not. */
function checkWithAttw(tarball) {
  const result = runBin('@arethetypeswrong/cli', 'attw', attwArguments(tarball));
  return result.output.includes('does not contain types') ? { ...result, code: 1 } : result;
}

function attwArguments(tarball) {
  return [
    tarball,
    '--no-color',
    '--no-emoji',
    // node10 is left out: no Node that these packages run on resolves that way.
    ...['--profile', 'node16'],
    // Our packages are ESM only. Node from 20.19 on can `require` them (no top-level await), which the
    // consumer check proves; attw knows only older Nodes, where that would fail.
    ...['--ignore-rules', 'cjs-resolves-to-esm'],
  ];
}
