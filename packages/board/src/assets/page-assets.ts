import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files of the page, by name; a name has the hash of its content. */
export interface PageAssets {
  /** The script that the page begins with. */
  readonly script: string;
  readonly style: string;
  readonly files: Readonly<Record<string, string>>;
  /** The paths of the modules that it was bundled from, where it was. */
  readonly modules?: readonly string[];
}

let built: Promise<PageAssets> | undefined;

/** Builds the page from its sources, once. The published package has this module's result in its place. */
export function pageAssets(): Promise<PageAssets> {
  built ??= build();
  return built;
}

const SETTINGS = {
  outdir: 'out',
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  metafile: true,
  write: false,
} as const;

async function build(): Promise<PageAssets> {
  const { build: bundle } = await import('esbuild');
  const folder = fileURLToPath(new URL('../page', import.meta.url));
  const { outputFiles, metafile } = await bundle({
    ...SETTINGS,
    absWorkingDir: folder,
    entryPoints: ['main.tsx'],
  });
  const files = Object.fromEntries(outputFiles.map(({ path, text }) => [path.replace(/^.*[\\/]/, ''), text]));
  const named = (pattern: RegExp): string => Object.keys(files).find((name) => pattern.test(name)) ?? '';
  return {
    script: named(/^main-.*\.js$/),
    style: named(/^main-.*\.css$/),
    files,
    modules: Object.keys(metafile.inputs).map((path) => resolve(folder, path)),
  };
}
