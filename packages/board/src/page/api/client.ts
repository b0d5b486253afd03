import type { ErrorAnswer, LivePath, Route, Routes } from '../../api.ts';

/** The paths of routes by method: `'GET runs/:id'` is `runs/:id`. */
type PathOf<Method extends 'GET' | 'POST'> = Route extends infer Each
  ? Each extends `${Method} ${infer Path}`
    ? Path
    : never
  : never;

type Answer<Key extends string> = Key extends Route ? Routes[Key]['answer'] : never;

type Body<Key extends string> = Key extends Route
  ? Routes[Key] extends { readonly body: infer Given }
    ? Given
    : never
  : never;

/** Values of a path and of its query. */
export interface Where {
  readonly params?: Readonly<Record<string, string>>;
  /** Empty texts are left out. */
  readonly query?: Readonly<Record<string, string>> | URLSearchParams;
}

/** The routes of the server. */
export interface Client {
  get<Path extends PathOf<'GET'>>(path: Path, where?: Where): Promise<Answer<`GET ${Path}`>>;
  post<Path extends PathOf<'POST'>>(
    path: Path,
    body: Body<`POST ${Path}`>,
    where?: Where,
  ): Promise<Answer<`POST ${Path}`>>;
  /** The name of what a stream sends of a route. */
  topicOf(path: LivePath, where?: Where): string;
  /** The address of the stream of a topic. */
  eventsUrl(topic: string): string;
}

/** @param basePath - where the board is mounted, without a slash at its end; `''` is the root */
export function createClient(basePath: string): Client {
  const urlOf = (path: string, where: Where = {}): string => `${basePath}/api/${writePath(path, where)}`;
  return {
    get: (path, where) => ask(urlOf(path, where), {}),
    post: (path, body, where) =>
      ask(urlOf(path, where), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    topicOf: writePath,
    eventsUrl: (topic) => urlOf('events', { query: { topic } }),
  };
}

function writePath(path: string, { params = {}, query = {} }: Where = {}): string {
  const filled = path.replace(/:([a-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const written = new URLSearchParams([...new URLSearchParams(query)].filter(([, value]) => value !== ''));
  return written.size === 0 ? filled : `${filled}?${written}`;
}

/** The server's answers have the types of api.ts, which it is built from. */
async function ask<Expected>(url: string, init: RequestInit): Promise<Expected> {
  // No route redirects: what does is a login in front, often of another origin.
  const response = await fetch(url, { ...init, redirect: 'manual' }).catch((error: Error) => {
    throw new Error(`The board's server does not answer (${error.message}). Is it running?`);
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer as Expected;
  throw refusalOf(answer, response);
}

/** What the server refused, or why there was no answer at all. */
function refusalOf(answer: unknown, { status, ok, type }: Response): Error {
  const { error } = (answer ?? {}) as Partial<ErrorAnswer>; // what every route answers that refuses
  if (error !== undefined) return new Error(error.message); // which says all problems
  const isLogin = ok || type === 'opaqueredirect' || status === 401 || status === 403;
  return new Error(isLogin ? SIGNED_OUT : `The server answered with status ${status}.`);
}

const SIGNED_OUT = 'You may be signed out. Reload the page.';
