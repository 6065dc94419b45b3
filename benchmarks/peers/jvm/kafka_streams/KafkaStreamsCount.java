import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;

/**
 * The same count as a Kafka Streams application: rows topic → KTable by id → groupBy(cell).count().
 *
 * <p>Run: java KafkaStreamsCount BOOTSTRAP TOPIC EVENTS THREADS STATE_DIR. Prints rows a second, and the number of live
 * rows as a check that it did the work.
 *
 * <p>State is RocksDB with changelog topics, the guarantee is exactly_once_v2 with its own commit each 100 ms. The clock
 * runs from the first record to the last change of a count, found by looking every 50 ms once all records are read;
 * the start of the JVM is left out, and so is the last commit, up to 100 ms later.
 */
public class KafkaStreamsCount {
  static final ObjectMapper JSON = new ObjectMapper();
  static final String[] ATTRIBUTES = {"age", "workclass", "edu", "sex", "state"};

  /** The row's cell, or null for a delete. */
  static String cell(byte[] value) {
    try {
      JsonNode event = JSON.readTree(value);
      if (event.get("op").asText().equals("delete")) return null;
      StringBuilder cell = new StringBuilder();
      for (String name : ATTRIBUTES) cell.append(event.get("row").get(name).asText()).append('|');
      return cell.toString();
    } catch (Exception e) {
      throw new RuntimeException(e);
    }
  }

  public static void main(String[] args) throws Exception {
    String bootstrap = args[0], topic = args[1], stateDir = args[4];
    long events = Long.parseLong(args[2]);
    int threads = Integer.parseInt(args[3]);
    AtomicLong read = new AtomicLong();

    StreamsBuilder builder = new StreamsBuilder();
    KTable<String, String> rows =
        builder.stream(topic, Consumed.with(Serdes.String(), Serdes.ByteArray()))
            .mapValues(value -> { read.incrementAndGet(); return cell(value); })
            .toTable(Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("rows")
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.String()));
    rows.groupBy((id, cell) -> KeyValue.pair(cell, cell), Grouped.with(Serdes.String(), Serdes.String()))
        .count(Materialized.as("cells"));

    Properties p = new Properties();
    p.put("application.id", "kafka-streams-count-" + System.nanoTime());
    p.put("bootstrap.servers", bootstrap);
    p.put("processing.guarantee", "exactly_once_v2");
    p.put("num.stream.threads", threads);
    p.put("state.dir", stateDir);
    p.put("auto.offset.reset", "earliest");
    p.put("replication.factor", 1);
    p.put("commit.interval.ms", 100); // its default under this guarantee
    p.put("statestore.cache.max.bytes", 64L << 20);
    p.put("max.poll.records", 5000);

    try (KafkaStreams streams = new KafkaStreams(builder.build(), p)) {
      streams.start();
      while (read.get() == 0) Thread.sleep(1);
      long start = System.nanoTime();
      while (read.get() < events) Thread.sleep(10);
      long live = -1, done = start;
      for (int same = 0; same < 40; Thread.sleep(50)) { // the counts stood still for two seconds
        long sum = 0;
        try (var cells = streams.store(StoreQueryParameters.fromNameAndType(
            "cells", QueryableStoreTypes.<String, Long>keyValueStore())).all()) {
          while (cells.hasNext()) sum += cells.next().value;
        } catch (org.apache.kafka.streams.errors.InvalidStateStoreException notYet) {
          continue;
        }
        if (sum == live) same++;
        else { same = 0; live = sum; done = System.nanoTime(); }
      }
      double seconds = (done - start) / 1e9;
      System.out.printf("%n%.0f %d%n", events / seconds, live);
    }
  }
}
