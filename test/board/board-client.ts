import type { ErrorAnswer, Route, Routes } from '../../packages/board/src/api.ts';
import type { Board } from '../../packages/board/src/create-board.ts';

/** Where the boards of these tests are. */
export const ORIGIN = 'http://127.0.0.1:4000';

/** All rights. */
export const ALL = {
  ...{ read: true, redrive: true, discard: true, cancel: true, hold: true, edit: true, unmask: true },
} as const;

/** What a request of the page is made of. */
export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request as the page does. */
export function send(board: Board, route: string, asked: Asked = {}): Promise<Response> {
  const { params = {}, query = '', body = {}, headers = {} } = asked;
  const [method = '', path = ''] = route.split(' ');
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? name));
  const isRead = method === 'GET';
  const request = new Request(`${ORIGIN}/api/${filled}${query}`, {
    method,
    headers: {
      ...(!isRead && { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin: ORIGIN }),
      ...headers,
    },
    ...(!isRead && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return board.fetch(request);
}

/** Sends a request and returns its answer. @throws when the board refuses it */
export async function ask<Name extends Route>(
  board: Board,
  route: Name,
  asked: Asked = {},
): Promise<Routes[Name]['answer']> {
  const response = await send(board, route, asked);
  const answer = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(answer));
  return answer as Routes[Name]['answer']; // that of its route
}

/** Sends a request that is refused, and returns the status and the error. */
export async function refused(
  board: Board,
  route: string,
  asked: Asked = {},
): Promise<{ readonly status: number } & ErrorAnswer['error']> {
  const response = await send(board, route, asked);
  const { error } = (await response.json()) as ErrorAnswer; // what every refusal answers
  return { status: response.status, ...error };
}
