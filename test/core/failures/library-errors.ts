/** An error as a library throws it. */
export interface LibraryError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly status?: number;
}

type Row = readonly [name: string, message: string, code?: string | number | undefined, status?: number];

const NODE: readonly Row[] = [
  ['Error', 'connect ECONNREFUSED 127.0.0.1:6379', 'ECONNREFUSED'],
  ['Error', 'connect ETIMEDOUT 10.0.12.4:443', 'ETIMEDOUT'],
  ['Error', 'connect EHOSTUNREACH 10.1.2.3:5432 - Local (10.1.2.9:50412)', 'EHOSTUNREACH'],
  ['Error', 'getaddrinfo ENOTFOUND api.example.com', 'ENOTFOUND'],
  ['Error', 'getaddrinfo EAI_AGAIN db.internal', 'EAI_AGAIN'],
  ['Error', 'read ECONNRESET', 'ECONNRESET'],
  ['Error', 'write EPIPE', 'EPIPE'],
  ['Error', 'socket hang up', 'ECONNRESET'],
  ['Error', "ENOENT: no such file or directory, open '/var/data/in-42.csv'", 'ENOENT'],
  ['Error', "EACCES: permission denied, mkdir '/var/lib/app'", 'EACCES'],
  ['Error', 'EMFILE: too many open files, watch', 'EMFILE'],
  ['Error', 'listen EADDRINUSE: address already in use :::3000', 'EADDRINUSE'],
  ['Error', 'self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ['Error', 'certificate has expired', 'CERT_HAS_EXPIRED'],
  ['TypeError', "Cannot read properties of undefined (reading 'id')"],
  ['TypeError', "Cannot read properties of null (reading 'id')"],
  ['TypeError', 'order.items is not iterable'],
  ['ReferenceError', 'total is not defined'],
  ['RangeError', 'Maximum call stack size exceeded'],
  ['RangeError', 'Invalid array length'],
  ['SyntaxError', 'Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON'],
  ['SyntaxError', 'Unexpected end of JSON input'],
  ['AbortError', 'This operation was aborted', 20],
  ['TimeoutError', 'The operation was aborted due to timeout', 23],
];

const UNDICI: readonly Row[] = [
  ['TypeError', 'fetch failed'],
  [
    'ConnectTimeoutError',
    'Connect Timeout Error (attempted address: api.example.com:443, timeout: 10000ms)',
    'UND_ERR_CONNECT_TIMEOUT',
  ],
  ['HeadersTimeoutError', 'Headers Timeout Error', 'UND_ERR_HEADERS_TIMEOUT'],
  ['BodyTimeoutError', 'Body Timeout Error', 'UND_ERR_BODY_TIMEOUT'],
  ['SocketError', 'other side closed', 'UND_ERR_SOCKET'],
  ['ClientDestroyedError', 'The client is destroyed', 'UND_ERR_DESTROYED'],
  ['ClientClosedError', 'The client is closed', 'UND_ERR_CLOSED'],
  ['RequestAbortedError', 'Request aborted', 'UND_ERR_ABORTED'],
  [
    'RequestContentLengthMismatchError',
    'Request body length does not match content-length header',
    'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  ],
  [
    'ResponseContentLengthMismatchError',
    'Response body length does not match content-length header',
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  ],
  ['HeadersOverflowError', 'Headers Overflow Error', 'UND_ERR_HEADERS_OVERFLOW'],
  ['InvalidArgumentError', 'invalid url', 'UND_ERR_INVALID_ARG'],
  ['InvalidArgumentError', 'path must be an absolute URL or start with a slash', 'UND_ERR_INVALID_ARG'],
  ['TypeError', 'Failed to parse URL from /orders'],
  [
    'HTTPParserError',
    'Response does not match the HTTP/1.1 protocol (Expected HTTP/)',
    'HPE_INVALID_CONSTANT',
  ],
];

const AXIOS: readonly Row[] = [
  ['AxiosError', 'Request failed with status code 400', 'ERR_BAD_REQUEST', 400],
  ['AxiosError', 'Request failed with status code 401', 'ERR_BAD_REQUEST', 401],
  ['AxiosError', 'Request failed with status code 403', 'ERR_BAD_REQUEST', 403],
  ['AxiosError', 'Request failed with status code 404', 'ERR_BAD_REQUEST', 404],
  ['AxiosError', 'Request failed with status code 429', 'ERR_BAD_REQUEST', 429],
  ['AxiosError', 'Request failed with status code 500', 'ERR_BAD_RESPONSE', 500],
  ['AxiosError', 'Request failed with status code 503', 'ERR_BAD_RESPONSE', 503],
  ['AxiosError', 'timeout of 5000ms exceeded', 'ECONNABORTED'],
  ['AxiosError', 'Network Error', 'ERR_NETWORK'],
  ['AxiosError', 'maxContentLength size of 2000 exceeded', 'ERR_BAD_RESPONSE'],
  ['AxiosError', 'Maximum number of redirects exceeded', 'ERR_FR_TOO_MANY_REDIRECTS'],
  ['AxiosError', 'Unsupported protocol ftp:', 'ERR_BAD_REQUEST'],
  ['AxiosError', 'Invalid URL', 'ERR_INVALID_URL'],
  ['AxiosError', 'stream has been aborted', 'ERR_BAD_RESPONSE'],
  ['CanceledError', 'canceled', 'ERR_CANCELED'],
];

const PG: readonly Row[] = [
  ['error', 'duplicate key value violates unique constraint "users_email_key"', '23505'],
  ['error', 'insert or update on table "orders" violates foreign key constraint "orders_user_fk"', '23503'],
  ['error', 'null value in column "name" of relation "users" violates not-null constraint', '23502'],
  ['error', 'new row for relation "orders" violates check constraint "positive"', '23514'],
  ['error', 'relation "orderz" does not exist', '42P01'],
  ['error', 'column "nmae" does not exist', '42703'],
  ['error', 'syntax error at or near "FORM"', '42601'],
  ['error', 'deadlock detected', '40P01'],
  ['error', 'could not serialize access due to concurrent update', '40001'],
  ['error', 'could not serialize access due to read/write dependencies among transactions', '40001'],
  ['error', 'canceling statement due to statement timeout', '57014'],
  ['error', 'canceling statement due to lock timeout', '55P03'],
  ['error', 'terminating connection due to administrator command', '57P01'],
  ['error', 'the database system is starting up', '57P03'],
  ['error', 'sorry, too many clients already', '53300'],
  ['error', 'password authentication failed for user "app"', '28P01'],
  ['error', 'invalid input syntax for type uuid: "42"', '22P02'],
  ['error', 'value too long for type character varying(255)', '22001'],
  ['Error', 'Connection terminated unexpectedly'],
  ['Error', 'timeout exceeded when trying to connect'],
  ['Error', 'Query read timeout'],
  ['Error', 'Cannot use a pool after calling end on the pool'],
];

const IOREDIS: readonly Row[] = [
  [
    'MaxRetriesPerRequestError',
    'Reached the max retries per request limit (which is 20). Refer to "maxRetriesPerRequest" option for details.',
  ],
  ['Error', 'Connection is closed.'],
  ['Error', 'Command timed out'],
  ['ReplyError', 'WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['ReplyError', 'MOVED 3999 127.0.0.1:6381'],
  ['ReplyError', 'ASK 3999 127.0.0.1:6381'],
  ['ReplyError', 'NOAUTH Authentication required.'],
  ['ReplyError', 'WRONGPASS invalid username-password pair or user is disabled.'],
  ['ReplyError', "OOM command not allowed when used memory > 'maxmemory'."],
  ['ReplyError', "READONLY You can't write against a read only replica."],
  ['ReplyError', 'LOADING Redis is loading the dataset in memory'],
  ['ReplyError', 'CLUSTERDOWN The cluster is down'],
  ['ReplyError', 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.'],
  ['ReplyError', "ERR wrong number of arguments for 'get' command"],
  ['ReplyError', 'NOSCRIPT No matching script. Please use EVAL.'],
  ['ClusterAllFailedError', 'Failed to refresh slots cache.'],
];

const REDIS: readonly Row[] = [
  ['SocketClosedUnexpectedlyError', 'Socket closed unexpectedly'],
  ['ConnectionTimeoutError', 'Connection timeout'],
  ['ClientClosedError', 'The client is closed'],
  ['ClientOfflineError', 'The client is offline'],
  ['DisconnectsClientError', 'Disconnects client'],
  ['ReconnectStrategyError', 'connect ECONNREFUSED ::1:6379'],
  ['RootNodesUnavailableError', 'All the root nodes are unavailable'],
  ['WatchError', 'One (or more) of the watched keys has been changed'],
  ['SocketTimeoutError', "Socket timeout timeout. Expecting data, but didn't receive any in 5000ms."],
  ['AbortError', 'The command was aborted'],
  ['SimpleError', 'ERR value is not an integer or out of range'],
  ['SimpleError', 'ERR syntax error'],
  ['SimpleError', "ERR unknown command 'FOO', with args beginning with: 'a' 'b'"],
  ['SimpleError', 'BUSYGROUP Consumer Group name already exists'],
  ['SimpleError', 'EXECABORT Transaction discarded because of previous errors.'],
  [
    'SimpleError',
    'MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.',
  ],
];

const MONGODB: readonly Row[] = [
  [
    'MongoServerError',
    'E11000 duplicate key error collection: shop.users index: email_1 dup key: { email: "a@b.io" }',
    11000,
  ],
  [
    'MongoServerError',
    'WriteConflict error: this operation conflicted with another operation. Please retry your operation or multi-document transaction.',
    112,
  ],
  ['MongoServerError', 'operation exceeded time limit', 50],
  ['MongoServerError', 'not authorized on shop to execute command { find: "users" }', 13],
  ['MongoServerError', 'Authentication failed.', 18],
  ['MongoServerError', 'Document failed validation', 121],
  ['MongoServerError', 'cursor id 7413298123 not found', 43],
  ['MongoServerError', 'Transaction 3 has been aborted.', 251],
  ['MongoServerSelectionError', 'Server selection timed out after 30000 ms'],
  ['MongoServerSelectionError', 'connect ECONNREFUSED 127.0.0.1:27017'],
  ['MongoNetworkTimeoutError', 'connection 4 to 10.0.0.7:27017 timed out'],
  ['MongoNetworkError', 'connection 12 to 10.0.0.7:27017 closed'],
  ['MongoWaitQueueTimeoutError', 'Timed out while checking out a connection from connection pool'],
  ['MongoTopologyClosedError', 'Topology is closed'],
  [
    'MongoParseError',
    'Invalid scheme, expected connection string to start with "mongodb://" or "mongodb+srv://"',
  ],
  ['BSONError', 'input must be a 24 character hex string, 12 byte Uint8Array, or an integer'],
];

const MYSQL2: readonly Row[] = [
  ['Error', "Duplicate entry 'a@b.io' for key 'users.email'", 'ER_DUP_ENTRY'],
  ['Error', "Table 'shop.orderz' doesn't exist", 'ER_NO_SUCH_TABLE'],
  ['Error', "Unknown column 'nmae' in 'field list'", 'ER_BAD_FIELD_ERROR'],
  ['Error', 'Deadlock found when trying to get lock; try restarting transaction', 'ER_LOCK_DEADLOCK'],
  ['Error', 'Lock wait timeout exceeded; try restarting transaction', 'ER_LOCK_WAIT_TIMEOUT'],
  ['Error', 'Too many connections', 'ER_CON_COUNT_ERROR'],
  ['Error', "Access denied for user 'app'@'10.0.0.4' (using password: YES)", 'ER_ACCESS_DENIED_ERROR'],
  ['Error', "Data too long for column 'name' at row 1", 'ER_DATA_TOO_LONG'],
  ['Error', "Column 'name' cannot be null", 'ER_BAD_NULL_ERROR'],
  [
    'Error',
    'Cannot add or update a child row: a foreign key constraint fails (`shop`.`orders`, CONSTRAINT `fk` FOREIGN KEY (`user`) REFERENCES `users` (`id`))',
    'ER_NO_REFERENCED_ROW_2',
  ],
  [
    'Error',
    "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'FORM users' at line 1",
    'ER_PARSE_ERROR',
  ],
  ['Error', 'Connection lost: The server closed the connection.', 'PROTOCOL_CONNECTION_LOST'],
  ['Error', 'Query inactivity timeout', 'PROTOCOL_SEQUENCE_TIMEOUT'],
  ['Error', 'Pool is closed.'],
  ['Error', 'Queue limit reached.'],
];

const KAFKAJS: readonly Row[] = [
  ['KafkaJSConnectionError', 'Connection error: connect ECONNREFUSED 127.0.0.1:9092', 'ECONNREFUSED'],
  ['KafkaJSConnectionError', 'Connection timeout'],
  ['KafkaJSConnectionClosedError', 'Closed connection'],
  ['KafkaJSRequestTimeoutError', 'Request Metadata(key: 3, version: 6) timed out'],
  ['KafkaJSNumberOfRetriesExceeded', 'This server does not host this topic-partition'],
  [
    'KafkaJSProtocolError',
    'There is no leader for this topic-partition as we are in the middle of a leadership election',
  ],
  ['KafkaJSProtocolError', 'The coordinator is not aware of this member'],
  ['KafkaJSProtocolError', 'The group is rebalancing, so a rejoin is needed'],
  [
    'KafkaJSProtocolError',
    'The request included a message larger than the max message size the server will accept',
  ],
  ['KafkaJSProtocolError', 'Not authorized to access topics: [Topic authorization failed]'],
  ['KafkaJSSASLAuthenticationError', 'SASL PLAIN authentication failed: Connection error'],
  [
    'KafkaJSOffsetOutOfRange',
    'The requested offset is not within the range of offsets maintained by the server',
  ],
  ['KafkaJSBrokerNotFound', 'No brokers in the broker list'],
  ['KafkaJSNonRetriableError', 'The producer is disconnected'],
  [
    'KafkaJSLockTimeout',
    'Timeout while acquiring lock (1 waiting locks): "connect to broker 127.0.0.1:9092"',
  ],
];

const AMQPLIB: readonly Row[] = [
  [
    'Error',
    "Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message \"PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'jobs' in vhost '/': received 'false' but current is 'true'\"",
    406,
  ],
  [
    'Error',
    "Operation failed: BasicConsume; 404 (NOT-FOUND) with message \"NOT_FOUND - no queue 'jobs' in vhost '/'\"",
    404,
  ],
  [
    'Error',
    'Channel closed by server: 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - unknown delivery tag 7"',
    406,
  ],
  [
    'Error',
    'Connection closed: 320 (CONNECTION-FORCED) with message "CONNECTION_FORCED - broker forced connection closure with reason \'shutdown\'"',
    320,
  ],
  [
    'Error',
    'Handshake terminated by server: 403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN."',
    403,
  ],
  ['Error', 'Socket closed abruptly during opening handshake'],
  ['Error', 'Unexpected close'],
  ['Error', 'Heartbeat timeout'],
  ['IllegalOperationError', 'Channel closed'],
  ['IllegalOperationError', 'Channel closing'],
  ['IllegalOperationError', 'Connection closed'],
  ['Error', 'Expected ConnectionOpenOk; got <ConnectionClose channel:0>'],
  ['Error', 'No channels left to allocate'],
  ['Error', 'message nacked'],
  ['Error', 'Frame size exceeds frame max'],
];

const AWS: readonly Row[] = [
  ['ThrottlingException', 'Rate exceeded', undefined, 400],
  [
    'ProvisionedThroughputExceededException',
    'The level of configured provisioned throughput for the table was exceeded.',
    undefined,
    400,
  ],
  ['ConditionalCheckFailedException', 'The conditional request failed', undefined, 400],
  ['ResourceNotFoundException', 'Requested resource not found', undefined, 400],
  [
    'AccessDeniedException',
    'User: arn:aws:iam::123456789012:user/app is not authorized to perform: dynamodb:GetItem on resource: arn:aws:dynamodb:eu-west-1:123456789012:table/orders',
    undefined,
    400,
  ],
  ['NoSuchKey', 'The specified key does not exist.', undefined, 404],
  ['NoSuchBucket', 'The specified bucket does not exist', undefined, 404],
  ['SlowDown', 'Please reduce your request rate.', undefined, 503],
  ['InternalError', 'We encountered an internal error. Please try again.', undefined, 500],
  ['ExpiredTokenException', 'The security token included in the request is expired', undefined, 403],
  [
    'InvalidSignatureException',
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
    undefined,
    403,
  ],
  ['CredentialsProviderError', 'Could not load credentials from any providers'],
  ['TimeoutError', 'Connection timed out after 1000 ms'],
  ['QueueDoesNotExist', 'The specified queue does not exist.', undefined, 400],
  ['ReceiptHandleIsInvalid', 'The input receipt handle is invalid.', undefined, 404],
  [
    'TransactionCanceledException',
    'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
    undefined,
    400,
  ],
];

const STRIPE: readonly Row[] = [
  ['StripeCardError', 'Your card was declined.', 'card_declined', 402],
  ['StripeCardError', 'Your card has insufficient funds.', 'card_declined', 402],
  ['StripeCardError', 'Your card has expired.', 'expired_card', 402],
  ['StripeCardError', "Your card's security code is incorrect.", 'incorrect_cvc', 402],
  ['StripeInvalidRequestError', "No such customer: 'cus_NffrFeUfNV2Hib'", 'resource_missing', 404],
  [
    'StripeInvalidRequestError',
    "No such payment_intent: 'pi_3MtwBwLkdIwHu7ix28a3tqPa'",
    'resource_missing',
    404,
  ],
  ['StripeInvalidRequestError', 'Amount must be at least $0.50 usd', 'amount_too_small', 400],
  ['StripeInvalidRequestError', 'Missing required param: currency.', 'parameter_missing', 400],
  ['StripeInvalidRequestError', 'Received unknown parameter: currancy', 'parameter_unknown', 400],
  ['StripeAuthenticationError', 'Invalid API Key provided: sk_test_********************1234', undefined, 401],
  [
    'StripePermissionError',
    "The provided key 'rk_***' does not have the required permissions for this endpoint",
    'more_permissions_required',
    403,
  ],
  [
    'StripeRateLimitError',
    'Too many requests hit the API too quickly. We recommend an exponential backoff of your requests.',
    'rate_limit',
    429,
  ],
  ['StripeConnectionError', 'An error occurred with our connection to Stripe. Request was retried 2 times.'],
  [
    'StripeIdempotencyError',
    "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '8f2b'",
    'idempotency_error',
    400,
  ],
  [
    'StripeSignatureVerificationError',
    'No signatures found matching the expected signature for payload. Are you passing the raw request body you received from Stripe?',
  ],
];

const GOT: readonly Row[] = [
  ['HTTPError', 'Response code 404 (Not Found)', 'ERR_NON_2XX_3XX_RESPONSE', 404],
  ['HTTPError', 'Response code 409 (Conflict)', 'ERR_NON_2XX_3XX_RESPONSE', 409],
  ['HTTPError', 'Response code 502 (Bad Gateway)', 'ERR_NON_2XX_3XX_RESPONSE', 502],
  ['TimeoutError', "Timeout awaiting 'request' for 5000ms", 'ETIMEDOUT'],
  ['RequestError', 'getaddrinfo ENOTFOUND api.example.com', 'ENOTFOUND'],
  ['RequestError', 'connect ECONNREFUSED 127.0.0.1:8080', 'ECONNREFUSED'],
  [
    'RequestError',
    'Client network socket disconnected before secure TLS connection was established',
    'ECONNRESET',
  ],
  ['RequestError', 'unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['ReadError', 'The server aborted pending request', 'ECONNRESET'],
  ['CacheError', 'Cannot read the cache entry', 'ERR_CACHE_ACCESS'],
  ['UploadError', 'The upload was aborted', 'ERR_UPLOAD'],
  ['MaxRedirectsError', 'Redirected 10 times. Aborting.', 'ERR_TOO_MANY_REDIRECTS'],
  ['UnsupportedProtocolError', 'Unsupported protocol "ftp:"', 'ERR_UNSUPPORTED_PROTOCOL'],
  [
    'ParseError',
    'Unexpected token < in JSON at position 0 in "https://api.example.com/a"',
    'ERR_BODY_PARSE_FAILURE',
  ],
  ['CancelError', 'Promise was canceled', 'ERR_CANCELED'],
];

const KY: readonly Row[] = [
  [
    'HTTPError',
    'Request failed with status code 404 Not Found: GET https://api.example.com/users/42',
    undefined,
    404,
  ],
  [
    'HTTPError',
    'Request failed with status code 422 Unprocessable Entity: POST https://api.example.com/users',
    undefined,
    422,
  ],
  [
    'HTTPError',
    'Request failed with status code 500 Internal Server Error: POST https://api.example.com/users',
    undefined,
    500,
  ],
  [
    'HTTPError',
    'Request failed with status code 429 Too Many Requests: GET https://api.example.com/users/42',
    undefined,
    429,
  ],
  [
    'HTTPError',
    'Request failed with status code 401 Unauthorized: GET https://api.example.com/me',
    undefined,
    401,
  ],
  [
    'HTTPError',
    'Request failed with status code 504 Gateway Timeout: GET https://api.example.com/report',
    undefined,
    504,
  ],
  ['TimeoutError', 'Request timed out: GET https://api.example.com/users/42'],
  ['TimeoutError', 'Request timed out: POST https://api.example.com/users'],
  ['TypeError', 'Failed to fetch'],
  ['TypeError', 'Load failed'],
  ['TypeError', 'NetworkError when attempting to fetch resource.'],
  ['TypeError', '`input` must be a string, URL, or Request'],
  ['Error', '`input` must not begin with a slash when using `prefixUrl`'],
  ['RangeError', 'The `timeout` option cannot be greater than 2147483647'],
  ['ForceRetryError', 'Forced retry: token refreshed'],
];

const PRISMA: readonly Row[] = [
  ['PrismaClientInitializationError', "Can't reach database server at `db.internal:5432`", 'P1001'],
  [
    'PrismaClientInitializationError',
    'Authentication failed against database server, the provided database credentials for `app` are not valid.',
    'P1000',
  ],
  ['PrismaClientInitializationError', 'Database `shop` does not exist on the database server', 'P1003'],
  [
    'PrismaClientKnownRequestError',
    '\nInvalid `prisma.user.create()` invocation in\n/app/src/users.ts:12:24\n\n\nUnique constraint failed on the fields: (`email`)',
    'P2002',
  ],
  [
    'PrismaClientKnownRequestError',
    '\nInvalid `prisma.order.create()` invocation:\n\n\nForeign key constraint violated: `orders_user_fkey (index)`',
    'P2003',
  ],
  [
    'PrismaClientKnownRequestError',
    '\nInvalid `prisma.user.update()` invocation:\n\n\nAn operation failed because it depends on one or more records that were required but not found. No record was found for an update.',
    'P2025',
  ],
  [
    'PrismaClientKnownRequestError',
    '\nInvalid `prisma.user.findMany()` invocation:\n\n\nThe table `public.users` does not exist in the current database.',
    'P2021',
  ],
  [
    'PrismaClientKnownRequestError',
    '\nInvalid `prisma.user.findMany()` invocation:\n\n\nThe column `users.nmae` does not exist in the current database.',
    'P2022',
  ],
  [
    'PrismaClientKnownRequestError',
    'Timed out fetching a new connection from the connection pool. (Current connection pool timeout: 10, connection limit: 5)',
    'P2024',
  ],
  [
    'PrismaClientKnownRequestError',
    'Transaction failed due to a write conflict or a deadlock. Please retry your transaction',
    'P2034',
  ],
  [
    'PrismaClientKnownRequestError',
    'Transaction API error: Unable to start a transaction in the given time.',
    'P2028',
  ],
  [
    'PrismaClientKnownRequestError',
    'Transaction API error: Transaction already closed: A commit cannot be executed on an expired transaction. The timeout for this transaction was 5000 ms, however 5021 ms passed since the start of the transaction.',
    'P2028',
  ],
  [
    'PrismaClientKnownRequestError',
    "The provided value for the column is too long for the column's type. Column: name",
    'P2000',
  ],
  [
    'PrismaClientValidationError',
    '\nInvalid `prisma.user.create()` invocation:\n\nArgument `email` is missing.',
  ],
  ['PrismaClientRustPanicError', 'PANIC: called `Option::unwrap()` on a `None` value'],
];

const SEQUELIZE: readonly Row[] = [
  ['SequelizeUniqueConstraintError', 'Validation error'],
  ['SequelizeValidationError', 'notNull Violation: User.email cannot be null'],
  ['SequelizeValidationError', 'Validation error: Validation isEmail on email failed'],
  ['SequelizeValidationError', 'Validation error: Validation len on name failed'],
  [
    'SequelizeForeignKeyConstraintError',
    'insert or update on table "orders" violates foreign key constraint "orders_user_id_fkey"',
  ],
  ['SequelizeDatabaseError', 'relation "orders" does not exist'],
  ['SequelizeDatabaseError', 'column "nmae" does not exist'],
  ['SequelizeTimeoutError', 'canceling statement due to statement timeout'],
  ['SequelizeConnectionRefusedError', 'connect ECONNREFUSED 127.0.0.1:5432'],
  ['SequelizeConnectionError', 'Connection terminated unexpectedly'],
  ['SequelizeConnectionAcquireTimeoutError', 'Operation timeout'],
  ['SequelizeAccessDeniedError', "Access denied for user 'app'@'localhost' (using password: YES)"],
  ['SequelizeHostNotFoundError', 'getaddrinfo ENOTFOUND db.internal'],
  ['SequelizeOptimisticLockError', 'Attempting to update a stale model instance: Order'],
  ['SequelizeEagerLoadingError', 'User is not associated to Order!'],
];

const TYPEORM: readonly Row[] = [
  [
    'QueryFailedError',
    'duplicate key value violates unique constraint "UQ_97672ac88f789774dd47f7c8be3"',
    '23505',
  ],
  ['QueryFailedError', 'relation "user" does not exist', '42P01'],
  ['QueryFailedError', 'SQLITE_BUSY: database is locked', 'SQLITE_BUSY'],
  ['QueryFailedError', 'SQLITE_CONSTRAINT: UNIQUE constraint failed: user.email', 'SQLITE_CONSTRAINT'],
  ['EntityNotFoundError', 'Could not find any entity of type "User" matching: {\n    "id": 42\n}'],
  ['EntityMetadataNotFoundError', 'No metadata for "User" was found.'],
  [
    'EntityPropertyNotFoundError',
    'Property "nmae" was not found in "User". Make sure your query is correct.',
  ],
  ['ConnectionNotFoundError', 'Connection "default" was not found.'],
  [
    'CannotConnectAlreadyConnectedError',
    'Cannot create a "default" connection because connection to the database already established.',
  ],
  [
    'CannotExecuteNotConnectedError',
    'Cannot execute operation on "default" connection because connection is not yet established.',
  ],
  ['QueryRunnerAlreadyReleasedError', 'Query runner already released. Cannot run queries anymore.'],
  [
    'TransactionNotStartedError',
    'Transaction is not started yet, start transaction before committing or rolling it back.',
  ],
  [
    'OptimisticLockVersionMismatchError',
    'The optimistic lock on entity Order failed, version 3 was expected, but is actually 4.',
  ],
  [
    'MustBeEntityError',
    'Cannot save, given value must be an entity, instead object literal is given: {"id": 1}',
  ],
  [
    'UpdateValuesMissingError',
    'Cannot perform update query because update values are not defined. Call "qb.set(...)" method to specify updated values.',
  ],
];

const GRPC: readonly Row[] = [
  [
    'Error',
    '14 UNAVAILABLE: No connection established. Last error: connect ECONNREFUSED 127.0.0.1:50051',
    14,
  ],
  ['Error', '14 UNAVAILABLE: Name resolution failed for target dns:orders.internal:50051', 14],
  ['Error', '14 UNAVAILABLE: Connection dropped', 14],
  ['Error', '4 DEADLINE_EXCEEDED: Deadline exceeded after 5.002s,remote_addr=10.0.0.8:50051', 4],
  ['Error', '8 RESOURCE_EXHAUSTED: Received message larger than max (5242880 vs 4194304)', 8],
  ['Error', '8 RESOURCE_EXHAUSTED: Bandwidth exhausted or memory limit exceeded', 8],
  ['Error', '1 CANCELLED: Cancelled on client', 1],
  ['Error', '5 NOT_FOUND: order 42 not found', 5],
  ['Error', '7 PERMISSION_DENIED: The caller does not have permission', 7],
  ['Error', '16 UNAUTHENTICATED: Request had invalid authentication credentials.', 16],
  ['Error', '13 INTERNAL: Received RST_STREAM with code 2 (Internal server error)', 13],
  ['Error', '13 INTERNAL: Response message parsing error: index out of range: 12 + 10 > 14', 13],
  ['Error', '12 UNIMPLEMENTED: The server does not implement the method /orders.Orders/Cancel', 12],
  ['Error', '3 INVALID_ARGUMENT: amount must be positive', 3],
  ['Error', '10 ABORTED: transaction was aborted by a concurrent one', 10],
];

const NODEMAILER: readonly Row[] = [
  [
    'Error',
    'Invalid login: 535-5.7.8 Username and Password not accepted. For more information, go to https://support.google.com/mail/?p=BadCredentials',
    'EAUTH',
  ],
  ['Error', 'Missing credentials for "PLAIN"', 'EAUTH'],
  ['Error', 'Connection timeout', 'ETIMEDOUT'],
  ['Error', 'Greeting never received', 'ETIMEDOUT'],
  ['Error', 'Timeout', 'ETIMEDOUT'],
  ['Error', 'Unexpected socket close', 'ECONNECTION'],
  ['Error', 'Connection closed unexpectedly', 'ECONNECTION'],
  [
    'Error',
    "Can't send mail - all recipients were rejected: 550 5.1.1 <bob@example.com>: Recipient address rejected: User unknown",
    'EENVELOPE',
  ],
  ['Error', 'No recipients defined', 'EENVELOPE'],
  ['Error', 'Mail command failed: 421 4.7.0 Too many messages, slow down', 'EENVELOPE'],
  ['Error', 'Mail command failed: 552 5.3.4 Message size exceeds fixed limit', 'EENVELOPE'],
  ['Error', 'Message failed: 554 5.7.1 Message rejected under suspicion of SPAM', 'EMESSAGE'],
  ['Error', 'Error initiating TLS - certificate has expired', 'ETLS'],
  ['Error', 'queryMx ENOTFOUND example.invalid', 'EDNS'],
  ['Error', 'Stream ended before the message was read', 'ESTREAM'],
];

const ZOD: readonly Row[] = [
  ['ZodError', 'Invalid input: expected string, received undefined'],
  ['ZodError', 'Invalid input: expected number, received string'],
  ['ZodError', 'Invalid input: expected date, received Date'],
  ['ZodError', 'Invalid option: expected one of "a"|"b"'],
  ['ZodError', 'Unrecognized key: "extra"'],
  ['ZodError', 'Too small: expected string to have >=1 characters'],
  ['ZodError', 'Too big: expected string to have <=255 characters'],
  ['ZodError', 'Too small: expected number to be >0'],
  ['ZodError', 'Too big: expected array to have <=10 items'],
  ['ZodError', 'Invalid email address'],
  ['ZodError', 'Invalid URL'],
  ['ZodError', 'Invalid UUID'],
  ['ZodError', 'Invalid ISO datetime'],
  ['ZodError', 'Invalid number: must be a multiple of 5'],
  ['$ZodAsyncError', 'Encountered Promise during synchronous parse. Use .parseAsync() instead.'],
];

const LIBRARIES: Readonly<Record<string, readonly Row[]>> = {
  node: NODE,
  undici: UNDICI,
  axios: AXIOS,
  pg: PG,
  ioredis: IOREDIS,
  redis: REDIS,
  mongodb: MONGODB,
  mysql2: MYSQL2,
  kafkajs: KAFKAJS,
  amqplib: AMQPLIB,
  'aws-sdk': AWS,
  stripe: STRIPE,
  got: GOT,
  ky: KY,
  prisma: PRISMA,
  sequelize: SEQUELIZE,
  typeorm: TYPEORM,
  'grpc-js': GRPC,
  nodemailer: NODEMAILER,
  zod: ZOD,
};

/**
 * Errors of different causes of well-known libraries: name, message, and code and status where they have them. Written down from
 * their sources and manuals by heart, not recorded: a release may have other words.
 */
export const LIBRARY_ERRORS: readonly (LibraryError & { readonly library: string })[] = Object.entries(
  LIBRARIES,
).flatMap(([library, rows]) =>
  rows.map(([name, message, code, status]) => ({
    library,
    name,
    message,
    ...(code !== undefined && { code }),
    ...(status !== undefined && { status }),
  })),
);
