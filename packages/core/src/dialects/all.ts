import type { System } from './system.ts';
import { activejob } from './systems/activejob.ts';
import { agenda } from './systems/agenda.ts';
import { aiSdk } from './systems/ai-sdk.ts';
import { anthropicSdk } from './systems/anthropic-sdk.ts';
import { apolloRetrylink } from './systems/apollo-retrylink.ts';
import { aria2 } from './systems/aria2.ts';
import { asyncRetry } from './systems/async-retry.ts';
import { asynq } from './systems/asynq.ts';
import { autossh } from './systems/autossh.ts';
import { axiosRetry } from './systems/axios-retry.ts';
import { azureCoreRestPipeline } from './systems/azure-core-rest-pipeline.ts';
import { beeQueue } from './systems/bee-queue.ts';
import { betterQueue } from './systems/better-queue.ts';
import { botocore } from './systems/botocore.ts';
import { bullmq } from './systems/bullmq.ts';
import { cassandraDriver } from './systems/cassandra-driver.ts';
import { celery } from './systems/celery.ts';
import { cenkaltiBackoff } from './systems/cenkalti-backoff.ts';
import { cloudTasks } from './systems/cloud-tasks.ts';
import { cmdx } from './systems/cmdx.ts';
import { cockatiel } from './systems/cockatiel.ts';
import { curl } from './systems/curl.ts';
import { dbos } from './systems/dbos.ts';
import { delayedJob } from './systems/delayed-job.ts';
import { dramatiq } from './systems/dramatiq.ts';
import { effect } from './systems/effect.ts';
import { elasticTransport } from './systems/elastic-transport.ts';
import { elixirRetry } from './systems/elixir-retry.ts';
import { exponentialBackoff } from './systems/exponential-backoff.ts';
import { faradayRetry } from './systems/faraday-retry.ts';
import { fluid } from './systems/fluid.ts';
import { gaxios } from './systems/gaxios.ts';
import { goRetryablehttp } from './systems/go-retryablehttp.ts';
import { googleGax } from './systems/google-gax.ts';
import { got } from './systems/got.ts';
import { graphileWorker } from './systems/graphile-worker.ts';
import { grpcJs } from './systems/grpc-js.ts';
import { guzzle } from './systems/guzzle.ts';
import { haproxy } from './systems/haproxy.ts';
import { huey } from './systems/huey.ts';
import { ioredis } from './systems/ioredis.ts';
import { jobbers } from './systems/jobbers.ts';
import { jpilloraBackoff } from './systems/jpillora-backoff.ts';
import { k8sWorkqueue } from './systems/k8s-workqueue.ts';
import { kafkajs } from './systems/kafkajs.ts';
import { kubernetesJob } from './systems/kubernetes-job.ts';
import { ky } from './systems/ky.ts';
import { laravelQueue } from './systems/laravel-queue.ts';
import { lwpUseragentDetermined } from './systems/lwp-useragent-determined.ts';
import { makeFetchHappen } from './systems/make-fetch-happen.ts';
import { mcpStreamableHttp } from './systems/mcp-streamable-http.ts';
import { minion } from './systems/minion.ts';
import { mongodbOverload } from './systems/mongodb-overload.ts';
import { mongodbWithtransaction } from './systems/mongodb-withtransaction.ts';
import { mosquittoBridge } from './systems/mosquitto-bridge.ts';
import { natsCore } from './systems/nats-core.ts';
import { natsJetstream } from './systems/nats-jetstream.ts';
import { nodeRedis } from './systems/node-redis.ts';
import { nodeResque } from './systems/node-resque.ts';
import { oban } from './systems/oban.ts';
import { octokitPluginRetry } from './systems/octokit-plugin-retry.ts';
import { openai } from './systems/openai.ts';
import { openvpn } from './systems/openvpn.ts';
import { pRetry } from './systems/p-retry.ts';
import { pgBoss } from './systems/pg-boss.ts';
import { polly } from './systems/polly.ts';
import { procrastinate } from './systems/procrastinate.ts';
import { pythonBackoff } from './systems/python-backoff.ts';
import { que } from './systems/que.ts';
import { rabbitmqQuorum } from './systems/rabbitmq-quorum.ts';
import { reconnectingWebsocket } from './systems/reconnecting-websocket.ts';
import { resilience4j } from './systems/resilience4j.ts';
import { resqueRetry } from './systems/resque-retry.ts';
import { retriable } from './systems/retriable.ts';
import { retrying } from './systems/retrying.ts';
import { river } from './systems/river.ts';
import { rq } from './systems/rq.ts';
import { sidekiq } from './systems/sidekiq.ts';
import { sidequest } from './systems/sidequest.ts';
import { slackWebApi } from './systems/slack-web-api.ts';
import { smithyUtilRetry } from './systems/smithy-util-retry.ts';
import { socketIoClient } from './systems/socket-io-client.ts';
import { sqs } from './systems/sqs.ts';
import { stamina } from './systems/stamina.ts';
import { stepFunctions } from './systems/step-functions.ts';
import { stripe } from './systems/stripe.ts';
import { supervisor } from './systems/supervisor.ts';
import { symfonyHttpClient } from './systems/symfony-http-client.ts';
import { symfonyMessenger } from './systems/symfony-messenger.ts';
import { tanstackQueryCore } from './systems/tanstack-query-core.ts';
import { tasker } from './systems/tasker.ts';
import { temporal } from './systems/temporal.ts';
import { temporalClient } from './systems/temporal-client.ts';
import { tenacity } from './systems/tenacity.ts';
import { tesla } from './systems/tesla.ts';
import { triggerDev } from './systems/trigger-dev.ts';
import { tsRetryPromise } from './systems/ts-retry-promise.ts';
import { twilio } from './systems/twilio.ts';
import { undiciRetryagent } from './systems/undici-retryagent.ts';
import { urllib3 } from './systems/urllib3.ts';
import { wget } from './systems/wget.ts';

export type { Option, OptionTable } from './option.ts';
export type { Fidelity, System, SystemOptions } from './system.ts';

/** Every system whose options can be read, in the order of their names. A program that needs one imports `@retry/core/dialects/NAME`. */
export const ALL_SYSTEMS: readonly System[] = [
  activejob,
  agenda,
  aiSdk,
  anthropicSdk,
  apolloRetrylink,
  aria2,
  asyncRetry,
  asynq,
  autossh,
  axiosRetry,
  azureCoreRestPipeline,
  beeQueue,
  betterQueue,
  botocore,
  bullmq,
  cassandraDriver,
  celery,
  cenkaltiBackoff,
  cloudTasks,
  cmdx,
  cockatiel,
  curl,
  dbos,
  delayedJob,
  dramatiq,
  effect,
  elasticTransport,
  elixirRetry,
  exponentialBackoff,
  faradayRetry,
  fluid,
  gaxios,
  goRetryablehttp,
  googleGax,
  got,
  graphileWorker,
  grpcJs,
  guzzle,
  haproxy,
  huey,
  ioredis,
  jobbers,
  jpilloraBackoff,
  k8sWorkqueue,
  kafkajs,
  kubernetesJob,
  ky,
  laravelQueue,
  lwpUseragentDetermined,
  makeFetchHappen,
  mcpStreamableHttp,
  minion,
  mongodbOverload,
  mongodbWithtransaction,
  mosquittoBridge,
  natsCore,
  natsJetstream,
  nodeRedis,
  nodeResque,
  oban,
  octokitPluginRetry,
  openai,
  openvpn,
  pRetry,
  pgBoss,
  polly,
  procrastinate,
  pythonBackoff,
  que,
  rabbitmqQuorum,
  reconnectingWebsocket,
  resilience4j,
  resqueRetry,
  retriable,
  retrying,
  river,
  rq,
  sidekiq,
  sidequest,
  slackWebApi,
  smithyUtilRetry,
  socketIoClient,
  sqs,
  stamina,
  stepFunctions,
  stripe,
  supervisor,
  symfonyHttpClient,
  symfonyMessenger,
  tanstackQueryCore,
  tasker,
  temporal,
  temporalClient,
  tenacity,
  tesla,
  triggerDev,
  tsRetryPromise,
  twilio,
  undiciRetryagent,
  urllib3,
  wget,
];
