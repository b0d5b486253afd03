<?php
/** Gives exported options to jobs of Laravel, and prints the seconds after which its worker releases each. None of them is waited for. */

require 'Illuminate/Bus/autoload.php';
require 'Illuminate/Events/autoload.php';
require 'Illuminate/Queue/autoload.php';

use Illuminate\Container\Container;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Database\Capsule\Manager as Database;
use Illuminate\Queue\Capsule\Manager as Queue;
use Illuminate\Queue\Connectors\DatabaseConnector;
use Illuminate\Queue\Worker;
use Illuminate\Queue\WorkerOptions;

final class Failing
{
    public $job;

    public function __construct(public int $tries, public array $backoff)
    {
    }

    public function setJob($job): void
    {
        $this->job = $job;
    }

    public function handle(): void
    {
        throw new RuntimeException('down');
    }
}

final class Silent implements ExceptionHandler
{
    public array $reported = [];

    public function report(Throwable $error)
    {
        $this->reported[] = $error;
    }

    public function shouldReport(Throwable $error)
    {
        return true;
    }

    public function render($request, Throwable $error)
    {
    }

    public function renderForConsole($output, Throwable $error)
    {
    }
}

$container = new Container();
Container::setInstance($container);
$container->instance(Illuminate\Contracts\Container\Container::class, $container);
$container->bind(Illuminate\Contracts\Bus\Dispatcher::class, fn () => new Illuminate\Bus\Dispatcher($container));
$events = new Illuminate\Events\Dispatcher($container);
$container->instance(Illuminate\Contracts\Events\Dispatcher::class, $events);
$container->instance('events', $events);

$database = new Database($container);
$database->setAsGlobal();
$database->addConnection(['driver' => 'sqlite', 'database' => ':memory:']);
$database->schema()->create('jobs', function ($table) {
    $table->bigIncrements('id');
    $table->string('queue');
    $table->longText('payload');
    $table->unsignedTinyInteger('attempts');
    $table->unsignedInteger('reserved_at')->nullable();
    $table->unsignedInteger('available_at');
    $table->unsignedInteger('created_at');
});

$queue = new Queue($container);
$manager = $queue->getQueueManager();
$manager->addConnector('database', fn () => new DatabaseConnector($database->getDatabaseManager()));
$queue->addConnection(['driver' => 'database', 'table' => 'jobs', 'queue' => 'default', 'retry_after' => 90]);
$handler = new Silent();
$worker = new Worker($manager, $events, $handler, fn () => false);

$recorded = [];
foreach (json_decode(stream_get_contents(STDIN), true) as $options) {
    $manager->connection()->push(new Failing($options['tries'], $options['backoff']));
    $delays = [];
    for (;;) {
        $before = time();
        $worker->runNextJob('default', 'default', new WorkerOptions());
        $job = $database->table('jobs')->first();
        if ($job === null) {
            break;
        }
        $delays[] = $job->available_at - $before;
        $database->table('jobs')->update(['available_at' => time()]);
    }
    $recorded[] = $delays;
}
foreach ($handler->reported as $error) {
    if ($error->getMessage() !== 'down') {
        fwrite(STDERR, $error . "\n");
        exit(1);
    }
}
echo json_encode($recorded);
