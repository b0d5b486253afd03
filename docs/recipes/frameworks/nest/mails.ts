import type { ArgumentsHost } from '@nestjs/common';
import { Body, Catch, Controller, Get, HttpException, Post, UseFilters } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { PayloadError } from '@retry/worker';
import { queue, sendMail, worker } from '../queue.ts';

@Catch(PayloadError)
class RefusedPayloads extends BaseExceptionFilter {
  override catch(error: PayloadError, host: ArgumentsHost) {
    super.catch(new HttpException(error.message, 400), host);
  }
}

@Controller()
@UseFilters(RefusedPayloads)
export class Mails {
  @Post('mails') send(@Body() mail: { to: string }) {
    return queue.submit(sendMail, mail);
  }
  @Get('ready') async ready() {
    if (!(await worker.isReady())) throw new HttpException('not ready', 503);
  }
}
