import type { Context, Env, Hono } from 'hono';
import { BoardError } from '../errors.ts';
import { pageAssets } from './page-assets.ts';
import { assetResponse, htmlResponse, noticePage, pageShell } from './page-shell.ts';

/** Adds the files of the page. They are those of the published package, so that who is refused may see them, too. */
export function addAssets<E extends Env>(app: Hono<E>, basePath: string): void {
  app.get(`${basePath}/assets/:name`, async (context) => {
    return assetResponse(await pageAssets(), context.req.param('name')) ?? context.notFound();
  });
}

/** Adds the page. Its screens have addresses behind a `#`, which no server sees. */
export function addPage<E extends Env>(app: Hono<E>, basePath: string): void {
  const page = async (_: Context<E>): Promise<Response> =>
    htmlResponse(pageShell(await pageAssets(), basePath), 200);
  app.get(`${basePath}/`, page);
  if (basePath !== '') app.get(basePath, page);
}

/** Returns the error for a path that is none of the board's: most often it is mounted elsewhere than its options say. */
export function nowhere(path: string, basePath: string): BoardError {
  const isRoute = path.startsWith(`${basePath}/api/`) || path.startsWith(`${basePath}/assets/`);
  if (isRoute) return new BoardError('NOT_FOUND', 'there is no such route of the board.');
  const shown = path.replace(/(?<=.)\/$/, '');
  const where = `the board is at ${basePath}/ and has nothing at ${shown}.`;
  return new BoardError(
    'NOT_FOUND',
    `${where} If it is mounted there, use createBoard({ basePath: '${shown}' }).`,
  );
}

/** Returns a refusal as a page, for a person who has opened an address; `undefined` for a program. */
export async function refusalPage(
  { method, headers }: Request,
  { message, status }: { readonly message: string; readonly status: number },
  basePath: string,
): Promise<Response | undefined> {
  if (method !== 'GET' || headers.get('accept')?.includes('text/html') !== true) return undefined;
  return htmlResponse(noticePage(await pageAssets(), { basePath, message }), status);
}
