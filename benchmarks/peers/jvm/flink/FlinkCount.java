import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * The same count as a Flink job: rows topic → keyed by id (old cell in state) → ±1 keyed by cell → count.
 *
 * <p>Run: java FlinkCount BOOTSTRAP TOPIC EVENTS PARALLELISM hashmap|rocksdb CHECKPOINT_DIR. Prints rows a second, and
 * the number of live rows as a check that it did the work.
 *
 * <p>State is the heap's or RocksDB's, with an exactly-once checkpoint each second. The clock runs from the first record
 * to the last change of a count; the start of the JVM and of the job is left out, and so is the last checkpoint.
 */
public class FlinkCount {
  static final ObjectMapper JSON = new ObjectMapper();
  static final String[] ATTRIBUTES = {"age", "workclass", "edu", "sex", "state"};
  static final AtomicLong READ = new AtomicLong();
  static final LongAdder LIVE = new LongAdder();
  static volatile long start, last;

  /** (id, cell), the cell empty for a delete. */
  static class Decode implements MapFunction<byte[], Tuple2<String, String>> {
    public Tuple2<String, String> map(byte[] value) throws Exception {
      if (READ.getAndIncrement() == 0) start = System.nanoTime();
      JsonNode event = JSON.readTree(value);
      String id = event.get("id").asText();
      if (event.get("op").asText().equals("delete")) return Tuple2.of(id, "");
      StringBuilder cell = new StringBuilder();
      for (String name : ATTRIBUTES) cell.append(event.get("row").get(name).asText()).append('|');
      return Tuple2.of(id, cell.toString());
    }
  }

  static class Move extends KeyedProcessFunction<String, Tuple2<String, String>, Tuple2<String, Integer>> {
    transient ValueState<String> cell;

    public void open(OpenContext context) {
      cell = getRuntimeContext().getState(new ValueStateDescriptor<>("cell", Types.STRING));
    }

    public void processElement(Tuple2<String, String> row, Context context, Collector<Tuple2<String, Integer>> out) throws Exception {
      String before = cell.value(), after = row.f1.isEmpty() ? null : row.f1;
      if (before != null && !before.equals(after)) out.collect(Tuple2.of(before, -1));
      if (after != null && !after.equals(before)) out.collect(Tuple2.of(after, 1));
      cell.update(after);
    }
  }

  static class Count extends KeyedProcessFunction<String, Tuple2<String, Integer>, Long> {
    transient ValueState<Long> count;

    public void open(OpenContext context) {
      count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
    }

    public void processElement(Tuple2<String, Integer> delta, Context context, Collector<Long> out) throws Exception {
      Long before = count.value();
      count.update((before == null ? 0 : before) + delta.f1);
      LIVE.add(delta.f1);
      last = System.nanoTime();
    }
  }

  public static void main(String[] args) throws Exception {
    String bootstrap = args[0], topic = args[1], backend = args[4];
    int parallelism = Integer.parseInt(args[3]);
    Configuration configuration = new Configuration();
    configuration.setString("state.backend.type", backend);
    configuration.setString("execution.checkpointing.dir", "file://" + args[5]);
    StreamExecutionEnvironment flink = StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration);
    flink.enableCheckpointing(1000, CheckpointingMode.EXACTLY_ONCE);
    flink.getConfig().enableObjectReuse();
    KafkaSource<byte[]> rows = KafkaSource.<byte[]>builder()
        .setBootstrapServers(bootstrap).setTopics(topic).setGroupId("flink-count-" + System.nanoTime())
        .setStartingOffsets(OffsetsInitializer.earliest()).setBounded(OffsetsInitializer.latest())
        .setValueOnlyDeserializer(new AbstractDeserializationSchema<byte[]>(byte[].class) {
          public byte[] deserialize(byte[] message) { return message; }
        }).build();
    flink.fromSource(rows, WatermarkStrategy.noWatermarks(), "rows")
        .map(new Decode()).returns(Types.TUPLE(Types.STRING, Types.STRING))
        .keyBy(row -> row.f0).process(new Move()).returns(Types.TUPLE(Types.STRING, Types.INT))
        .keyBy(delta -> delta.f0).process(new Count()).sinkTo(new DiscardingSink<>());
    flink.execute();
    long events = Long.parseLong(args[2]);
    if (READ.get() != events) throw new IllegalStateException(READ.get() + " of " + events + " events were read");
    System.out.printf("%n%.0f %d%n", events / ((last - start) / 1e9), LIVE.sum());
  }
}
