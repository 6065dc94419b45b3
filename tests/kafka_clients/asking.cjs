// Sends records and prints the answers to its questions, by kafkajs.
// stdin: {bootstrap, rows, queries, results, sent: [[key, value]], asked: [question]}
// stdout: [[request id, correlation header, answer]]
const { createRequire } = require('node:module');
const { readFileSync } = require('node:fs');
const { randomUUID } = require('node:crypto');

const { Kafka, logLevel } = createRequire(`${process.cwd()}/`)('kafkajs');

// To read from the beginning is simple, and right for a handful of answers.
async function listen(kafka, topic, asked, take) {
  const soon = { sessionTimeout: 2000, heartbeatInterval: 500 };
  const consumer = kafka.consumer({ groupId: `test-${randomUUID()}`, ...soon });
  const missing = new Set(asked.map((question) => question.request_id));
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const all = new Promise((done) => {
    const eachMessage = async ({ message }) => {
      const id = message.key.toString();
      if (!missing.delete(id)) return;
      const echoed = message.headers.kafka_correlationId;
      take([id, echoed && echoed.toString(), JSON.parse(message.value.toString())]);
      if (missing.size === 0) done();
    };
    consumer.run({ eachMessage });
  });
  return { all, close: () => consumer.disconnect() };
}

async function main(given) {
  const kafka = new Kafka({ brokers: [given.bootstrap], logLevel: logLevel.ERROR });
  const producer = kafka.producer();
  await producer.connect();
  const rows = given.sent.map(([key, value]) => ({ key, value }));
  await producer.send({ topic: given.rows, messages: rows });
  const answers = [];
  const heard = await listen(kafka, given.results, given.asked, (a) => answers.push(a));
  const questions = given.asked.map((question) => ({
    key: question.client,
    value: JSON.stringify(question),
    headers: { kafka_correlationId: `re ${question.request_id}` },
  }));
  await producer.send({ topic: given.queries, messages: questions });
  await heard.all;
  await Promise.all([heard.close(), producer.disconnect()]);
  process.stdout.write(JSON.stringify(answers));
}

main(JSON.parse(readFileSync(0))).catch((error) => {
  console.error(error);
  process.exit(1);
});
