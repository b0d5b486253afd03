import { createBoard } from '@retry/board';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { BASE_PATH } from './frameworks.ts';

/** `app/admin/board/[[...path]]/route.ts`, as an application with Next writes it. */
export const broker = createMemoryBroker();

const access = () => ({ read: true, hold: true, by: 'ada' });

const board = createBoard({ broker, basePath: BASE_PATH, access });

export const GET = (request: Request): Promise<Response> => board.fetch(request);
export const POST = GET;
