import type { PageAssets } from './page-assets.ts';

/** No other host, no script and no style but the board's own files. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every answer. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Returns the page before its script has run. No data is in it, only where the board is mounted. */
export function pageShell({ script, style }: PageAssets, basePath: string): string {
  const path = (name: string): string => `${basePath}/assets/${name}`;
  return `<!doctype html>
<html lang="en" data-base-path="${basePath}">
<head>
${headOf(path(style))}
<script type="module" src="${path(script)}"></script>
</head>
<body>
<div id="board">
<main class="missing">
<h1>The board has not loaded</h1>
<p>The browser got no script from <code>${path(script)}</code>. If the board is below a path, as behind a proxy that removes it, say which:
<code>createBoard({ basePath: '/admin/board' })</code>, as the address bar has it.</p>
</main>
</div>
<noscript>The board needs JavaScript.</noscript>
</body>
</html>
`;
}

/** Returns a page that says why there is no board. */
export function noticePage(
  { style }: PageAssets,
  { basePath, message }: { readonly basePath: string; readonly message: string },
): string {
  return `<!doctype html>
<html lang="en">
<head>
${headOf(`${basePath}/assets/${style}`)}
</head>
<body>
<main>
<h1>The board cannot be shown</h1>
<p>${escapeHtml(message.charAt(0).toUpperCase() + message.slice(1))}</p>
</main>
</body>
</html>
`;
}

function headOf(style: string): string {
  return `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>retry</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns a page, which is asked for again each time. */
export function htmlResponse(html: string, status: number): Response {
  const headers = {
    ...SAFE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  };
  return new Response(html, { status, headers });
}

/** Returns one file of the page, which may be kept for ever; `undefined` for a name that is none. */
export function assetResponse({ files }: PageAssets, name: string): Response | undefined {
  if (!Object.hasOwn(files, name)) return undefined;
  const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
  const headers = {
    ...SAFE_HEADERS,
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'public, max-age=31536000, immutable',
  };
  return new Response(files[name] ?? '', { headers });
}
