/**
 * `npm run thread-code`: bundles what runs in the thread that renews leases, and writes it as text into the sources, so that neither
 * a bundler nor a run from source needs a file beside the program.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { root } from './workspace.mjs';

const MODULES = [
  { from: 'worker/src/lease/thread.ts', to: 'worker/src/lease/thread-code.ts', constant: 'THREAD_CODE' },
  ...['redis-queue', 'postgres'].map((name) => ({
    from: `${name}/src/driver/heartbeats/open-heartbeats.ts`,
    to: `${name}/src/driver/heartbeats/heartbeat-code.ts`,
    constant: 'HEARTBEAT_CODE',
  })),
];

/** Returns the files, and the text that each should have. */
export function listThreadCode() {
  return MODULES.map(({ from, to, constant }) => {
    const text = `/** Made of ${from.split('/').pop()} by \`npm run thread-code\`. */\nexport const ${constant}: string = ${JSON.stringify(bundle(from))};\n`;
    return { path: join(root, 'packages', to), text };
  });
}

function bundle(path) {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'packages', path)],
    absWorkingDir: root,
    bundle: true,
    write: false,
    minify: true,
    charset: 'ascii',
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: ['redis', 'pg'],
  });
  return outputFiles[0].text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of listThreadCode()) {
    if (readFileSync(path, { encoding: 'utf8', flag: 'a+' }) !== text) writeFileSync(path, text);
  }
}
