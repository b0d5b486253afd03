import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import { serve } from '@hono/node-server';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Board, toNodeListener } from '@retry/board';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { mountInFastify } from './mount-in-fastify.ts';

/** A server of a framework with a board below this path, and a route of its own at `/own`. */
export interface Mounted {
  readonly port: number;
  /** Shuts down as docs/board.md says. */
  readonly close: () => Promise<unknown>;
}

/** Where the boards are. */
export const BASE_PATH = '/admin/board';

/** Serves a board by each framework, with the parsers of bodies that its users have. */
export const FRAMEWORKS: Readonly<Record<string, (board: Board) => Promise<Mounted>>> = {
  'node:http': (board) => {
    const answerBoard = toNodeListener(board);
    return listen(
      board,
      createServer((request, response) => {
        if (request.url === '/own') response.end('own');
        else answerBoard(request, response);
      }),
    );
  },

  Hono: async (board) => {
    const app = new Hono();
    app.get('/own', (context) => context.text('own'));
    app.all(BASE_PATH, (context) => board.fetch(context.req.raw));
    app.all(`${BASE_PATH}/*`, (context) => board.fetch(context.req.raw));
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server; // of node:http, as nothing else is asked for
    await new Promise((resolve) => server.once('listening', resolve));
    return mounted(board, server);
  },

  Express: (board) => {
    const app = express();
    app.use(express.json());
    app.use(BASE_PATH, toNodeListener(board));
    app.get('/own', (_request, response) => void response.send('own'));
    return listen(board, createServer(app));
  },

  Fastify: async (board) => {
    const app = Fastify();
    app.get('/own', () => 'own');
    mountInFastify(app, board);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { port: portOf(app.server), close: () => app.close() };
  },

  Nest: async (board) => {
    class App {
      beforeApplicationShutdown(): void {
        board.close();
      }
    }
    Module({})(App);
    const app = await NestFactory.create(App, { logger: false });
    app.use(BASE_PATH, toNodeListener(board));
    app.getHttpAdapter().get('/own', (_request: unknown, response: { send(text: string): void }) => {
      response.send('own');
    });
    await app.listen(0, '127.0.0.1');
    return { port: portOf(app.getHttpServer()), close: () => app.close() };
  },
};

async function listen(board: Board, server: Server): Promise<Mounted> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return mounted(board, server);
}

function mounted(board: Board, server: Server): Mounted {
  return {
    port: portOf(server),
    close: () => {
      board.close();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  return address.port;
}
