import type { AsyncDispose } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import { disposedBy, hasMethods } from '@retry/core/fields';
import { createQueue } from '@retry/worker';
import { Hono } from 'hono';
import { createActs } from './access/acts.ts';
import type { ErrorLog } from './access/error-log.ts';
import { createErrorLog } from './access/error-log.ts';
import type { Visitor } from './access/rights.ts';
import { visitorOf } from './access/rights.ts';
import { checkNotCrossSite, checkSameOrigin } from './access/same-origin.ts';
import { createTokenCheck } from './access/token.ts';
import type { Right, Route } from './api.ts';
import { addAssets, addPage, nowhere, refusalPage } from './assets/page-routes.ts';
import { SAFE_HEADERS } from './assets/page-shell.ts';
import { BoardError, forbidden, isKnown, refusalOf } from './errors.ts';
import type { Live } from './live/live.ts';
import { createLive } from './live/live.ts';
import type { BoardOptions, BoardSettings } from './options.ts';
import { readBoardOptions } from './options.ts';
import { readJson } from './routes/body.ts';
import type { Desk } from './routes/call.ts';
import { createKeptForWhile } from './routes/kept-for-while.ts';
import { checkQuery } from './routes/query.ts';
import { createOneByOne } from './routes/replay/in-turns.ts';
import type { RouteRule } from './routes/routes.ts';
import { METHODS_BY_PATH, ROUTE_NAMES, ROUTES } from './routes/routes.ts';
import { createMask } from './show/mask.ts';

/** A board, to be mounted in a web server. `await using` closes it. */
export interface Board extends AsyncDispose {
  /** Answers a request. It never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends the streams of every page that listens; requests are answered with 503 from then on. The broker stays open. */
  readonly close: () => void;
}

function checkRequest(value: unknown): void {
  if (hasMethods(value, ['text']) && 'url' in value && 'headers' in value) return;
  const cure = 'Use new Request(url), or toNodeListener(board) with a server of node:http.';
  throw new InvalidOptionsError(
    [{ path: 'request', value, message: 'must be a Request', cure }],
    'fetch of the board',
  );
}

/** A proxy, or `compression()` of Express, that compresses the stream would keep its events back. */
const UNCHANGED = 'no-store, no-transform';

/** Plans are kept for this long. */
const PLANS = { count: 100, ms: 900_000 };

/** What takes a call of the broker for each row is shown for this long. */
const ROWS = { count: 1_000, ms: 5_000 };

/**
 * Creates the board of a queue, for visitors who have its `token`, and with the rights that `access` returns.
 *
 * @throws {InvalidOptionsError} listing every wrong option
 */
export function createBoard(options: BoardOptions): Board {
  const settings = readBoardOptions(options);
  const errors = createErrorLog(settings.onError);
  const desk = createDesk(settings, errors);
  const live = createLive(desk, errors);
  const app = createApp({ settings, errors, desk, live });
  let isClosed = false;
  return {
    fetch: async (request) => {
      if (isClosed)
        return refuse(new BoardError('BOARD_CLOSED', 'the board is closed. Create another one.'), errors);
      try {
        checkRequest(request);
        return await app.fetch(request);
      } catch (error) {
        return refuse(error, errors);
      }
    },
    close: () => {
      isClosed = true;
      live.close();
    },
    ...disposedBy('close'),
  };
}

function createDesk({ broker, tasks, times, name, mask, onAct }: BoardSettings, errors: ErrorLog): Desk {
  const queue = createQueue({ broker });
  // It carries on the operations that visitors apply.
  queue.on('error', ({ error, doing }) => errors.report(error, doing));
  return {
    ...{ broker, tasks, times, name, queue },
    mask: createMask(mask, errors),
    acts: createActs(onAct, errors),
    plans: createKeptForWhile(PLANS),
    trends: createKeptForWhile(ROWS),
    attempts: createKeptForWhile(ROWS),
    replays: createOneByOne(),
  };
}

interface Parts {
  readonly settings: BoardSettings;
  readonly errors: ErrorLog;
  readonly desk: Desk;
  readonly live: Live;
}

interface Env {
  readonly Variables: { visitor: Visitor };
}

function createApp(parts: Parts): Hono<Env> {
  const { settings, errors } = parts;
  const { basePath } = settings;
  const app = new Hono<Env>();
  app.onError(async (error, { req: { raw } }) => {
    const answer = refuse(error, errors);
    const { message } = refusalOf(error).answer.error;
    return (await refusalPage(raw, { message, status: answer.status }, basePath)) ?? answer;
  });
  app.notFound(({ req: { path } }) => {
    throw nowhere(path, basePath);
  });
  addAssets(app, basePath);
  addVisitors(app, parts);
  for (const name of ROUTE_NAMES) addRoute(app, { name, rule: ROUTES[name], parts });
  addEvents(app, parts);
  addPage(app, basePath);
  addWrongMethods(app, parts);
  return app;
}

/** Finds out who makes a request, before anything is answered. */
function addVisitors(app: Hono<Env>, { settings, errors }: Parts): void {
  const { basePath, token, access } = settings;
  const checkToken = token === undefined ? undefined : createTokenCheck({ token, basePath });
  app.use('*', async (context, next) => {
    const { method, path, raw } = context.req;
    const arrival = checkToken?.(raw);
    if (arrival !== undefined) return arrival;
    context.set('visitor', await visitorOf(access, raw, errors));
    if (!['GET', 'HEAD'].includes(method)) checkSameOrigin(raw);
    else if (path.startsWith(`${basePath}/api/`)) checkNotCrossSite(raw);
    return next();
  });
}

function addEvents(app: Hono<Env>, { settings: { basePath }, live }: Parts): void {
  app.get(`${basePath}/api/events`, (context) => {
    const visitor = context.get('visitor');
    demandOneOf(visitor, ['read']);
    const topics = context.req.queries('topic') ?? [];
    const typed = { ...SAFE_HEADERS, 'content-type': 'text/event-stream', 'cache-control': UNCHANGED };
    const headers = { ...typed, 'x-accel-buffering': 'no' };
    // The stream of an answer to HEAD would never be ended.
    return new Response(context.req.method === 'HEAD' ? null : live.open(topics, visitor.by), { headers });
  });
}

/** After all that answers: what comes here has a path of the board, and another method. */
function addWrongMethods(app: Hono<Env>, { settings: { basePath }, errors }: Parts): void {
  const ofRoutes = [...METHODS_BY_PATH].map(([path, allow]) => [`/api/${path}`, allow] as const);
  const ofPage = ['', '/', '/assets/:name'].map((path) => [path, 'GET, HEAD'] as const);
  for (const [path, allow] of [...ofRoutes, ...ofPage]) {
    app.all(`${basePath}${path}`, ({ req: { method } }) => {
      const error = new BoardError('WRONG_METHOD', `this route takes ${allow}, and no ${method}.`);
      return refuse(error, errors, { allow });
    });
  }
}

function addRoute(
  app: Hono<Env>,
  { name, rule, parts }: { readonly name: Route; readonly rule: RouteRule; readonly parts: Parts },
): void {
  const [method = '', path] = name.split(' ');
  app.on(method, `${parts.settings.basePath}/api/${path}`, async (context) => {
    const visitor = context.get('visitor');
    demandOneOf(visitor, rule.rights);
    const query = new URL(context.req.url).searchParams;
    checkQuery(name, query);
    const answer = await rule.answer({
      ...{ desk: parts.desk, visitor },
      param: (key) => context.req.param(key as never) ?? '', // the names in its path
      query,
      body: method === 'GET' ? undefined : await readJson(context.req.raw, rule.maxBodyBytes),
    });
    return json(answer, 200);
  });
}

function demandOneOf({ rights }: Visitor, oneOf: readonly Right[]): void {
  const [first] = oneOf;
  if (first !== undefined && !oneOf.some((right) => rights[right])) throw forbidden(first);
}

function refuse(error: unknown, errors: ErrorLog, more: Headed = {}): Response {
  if (!isKnown(error)) errors.report(error, 'answering a request');
  const { status, answer } = refusalOf(error);
  const scheme = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return json(answer, status, { ...scheme, ...more });
}

type Headed = Readonly<Record<string, string>>;

function json(answer: unknown, status: number, more: Headed = {}): Response {
  const typed = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  const headers = { ...SAFE_HEADERS, ...typed, ...more };
  return new Response(JSON.stringify(answer), { status, headers });
}
