import 'reflect-metadata';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { broker, worker } from '../queue.ts';
import { Mails } from './mails.ts';

@Module({ controllers: [Mails] })
class QueueModule implements OnApplicationBootstrap, OnApplicationShutdown {
  onApplicationBootstrap() {
    worker.start();
  }
  async onApplicationShutdown() {
    await worker.stop();
    await broker.close();
  }
}

const app = await NestFactory.create(QueueModule);
app.enableShutdownHooks(); // SIGTERM
await app.listen(Number(process.env['PORT'] ?? 3000));
