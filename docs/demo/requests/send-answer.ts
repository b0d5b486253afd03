import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerAnswer } from './server-answer.ts';

/** Sends the response that was drawn for a request. */
export function sendAnswer(answer: ServerAnswer, request: IncomingMessage, response: ServerResponse): void {
  switch (answer.type) {
    case 'ok': {
      const timer = setTimeout(() => response.end('here it is'), answer.afterMs);
      response.once('close', () => clearTimeout(timer));
      return;
    }
    case 'missing':
      response.writeHead(404).end('no such order');
      return;
    case 'dropped':
      request.socket.destroy();
      return;
    case 'refused':
      response.writeHead(answer.status, headersOf(answer)).end('come back later');
      return;
  }
}

function headersOf({ asks, askedMs }: Extract<ServerAnswer, { type: 'refused' }>): Record<string, string> {
  switch (asks) {
    case 'nothing':
      return {};
    case 'milliseconds':
      return { 'retry-after-ms': `${askedMs}` };
    case 'seconds':
      return { 'retry-after': `${askedMs / 1_000}` };
    case 'date':
      return { 'retry-after': new Date(Date.now() + askedMs).toUTCString() };
  }
}
