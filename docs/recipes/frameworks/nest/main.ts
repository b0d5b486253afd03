import 'reflect-metadata';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Body, Controller, Get, Module, Post, ServiceUnavailableException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { broker, queue, sendMail, worker } from '../queue.ts';

@Controller()
class Mails {
  @Post('mails') send(@Body() mail: { to: string }) {
    return queue.submit(sendMail, mail);
  }
  @Get('ready') async ready() {
    if (!(await worker.isReady())) throw new ServiceUnavailableException();
  }
}

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
