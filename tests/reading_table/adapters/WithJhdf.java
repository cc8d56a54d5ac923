// jHDF: HDF5 in Java alone. As answers.py: WithJhdf FILE OUT NAME..
import io.jhdf.HdfFile;
import io.jhdf.api.Dataset;
import io.jhdf.api.Node;
import io.jhdf.exceptions.HdfInvalidPathException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

public class WithJhdf {
  static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\s", " ") + '"';
  }

  static String state(String name, String state, Throwable error) {
    return "{\"name\": " + quoted(name) + ", \"state\": \"" + state + "\", \"error\": "
        + quoted(String.valueOf(error)) + "}";
  }

  static String answer(Path file, Path out, String name, int number) throws Exception {
    Object values;
    int[] shape;
    try (HdfFile opened = new HdfFile(file)) {
      Node node = opened.getByPath(name);
      Dataset dataset = (Dataset) node;
      values = dataset.getDataFlat();
      shape = dataset.getDimensions();
    } catch (HdfInvalidPathException error) {
      return state(name, "absent", error);
    } catch (Throwable error) {  // whatever a reader throws
      return state(name, "refused", error);
    }
    String dtype;
    ByteBuffer bytes;
    if (values instanceof double[] doubles) {
      dtype = "<f8";
      bytes = ByteBuffer.allocate(8 * doubles.length).order(ByteOrder.LITTLE_ENDIAN);
      bytes.asDoubleBuffer().put(doubles);
    } else if (values instanceof float[] floats) {
      dtype = "<f4";
      bytes = ByteBuffer.allocate(4 * floats.length).order(ByteOrder.LITTLE_ENDIAN);
      bytes.asFloatBuffer().put(floats);
    } else if (values instanceof long[] longs) {
      dtype = "<i8";
      bytes = ByteBuffer.allocate(8 * longs.length).order(ByteOrder.LITTLE_ENDIAN);
      bytes.asLongBuffer().put(longs);
    } else {
      return state(name, "refused", new IllegalStateException("values of " + values.getClass()));
    }
    Files.write(out.resolve(number + ".bin"), bytes.array());
    return "{\"name\": " + quoted(name) + ", \"state\": \"read\", \"dtype\": \"" + dtype + "\", \"shape\": "
        + Arrays.toString(shape) + "}";
  }

  public static void main(String[] arguments) throws Exception {
    Path out = Path.of(arguments[1]);
    try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(out.resolve("answers.jsonl")))) {
      for (int i = 2; i < arguments.length; ++i) {
        lines.println(answer(Path.of(arguments[0]), out, arguments[i], i - 2));
        lines.flush();
      }
    }
  }
}
