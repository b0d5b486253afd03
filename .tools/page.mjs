/** Bundles what runs in a browser: the page of the board, and the studio of the documentation as one file that needs no server. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { noticesOf } from './notices.mjs';
import { root } from './workspace.mjs';

/** Bundles one entry, whose path is from the root; minified, because every visitor downloads it. */
export function bundle(entry) {
  return build(entry).text;
}

/** @returns the bundle of an entry, and the paths of its modules */
function build(entry, format = 'esm') {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [join(root, entry)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    outdir: 'out',
    format,
    target: 'es2022',
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
  });
  const extension = entry.endsWith('.css') ? '.css' : '.js';
  const { text } = outputFiles.find(({ path }) => path.endsWith(extension));
  return { text, modules: Object.keys(metafile.inputs).map((path) => join(root, path)) };
}

/** Returns the studio as one HTML file; it works from `file:` and asks no host for anything. */
export function bundleStudio() {
  const built = [build('docs/studio/standalone.tsx'), build('docs/studio/worker.ts', 'iife')];
  const [script, engine] = built.map(
    // Inside a script element, nothing may look like its end.
    ({ text }) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--'),
  );
  const style = bundle('docs/studio/studio.css');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash(script)}' blob:`,
    `style-src 'sha256-${hash(style)}'`,
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const notices = noticesOf(built.flatMap(({ modules }) => modules)).replaceAll('--', '- -');
  return `<!doctype html>
<!--
${notices}-->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Policy studio</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Policy studio</h1>
<p class="lead">Write a retry policy and see what it does. Nothing leaves this page.</p>
<div id="studio"></div>
<noscript>The studio needs JavaScript.</noscript>
</main>
<script type="text/plain" id="engine">${engine}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function hash(text) {
  return createHash('sha256').update(text).digest('base64');
}
