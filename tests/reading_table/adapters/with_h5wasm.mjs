// h5wasm: HDF5 compiled for browsers and Node. As answers.py: with_h5wasm.mjs FILE OUT NAME..
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [file, out, ...names] = process.argv.slice(2);
const h5wasm = await import(pathToFileURL(path.join(process.env.WEFT_TABLE_NODE, "h5wasm/dist/node/hdf5_hl.js")));
await h5wasm.ready;

const KINDS = {
  Float64Array: "<f8", Float32Array: "<f4", BigInt64Array: "<i8", BigUint64Array: "<u8",
  Int32Array: "<i4", Uint32Array: "<u4", Uint8Array: "|u1",
};

function answer(name, number) {
  try {
    const opened = new h5wasm.File(file, "r");
    const dataset = opened.get(name);
    if (!dataset) return { name, state: "absent", error: "" };
    const values = dataset.value;
    const dtype = KINDS[values?.constructor?.name];
    if (!dtype) return { name, state: "refused", error: `the value is ${values}` };
    fs.writeFileSync(path.join(out, `${number}.bin`), Buffer.from(values.buffer, values.byteOffset, values.byteLength));
    return { name, state: "read", dtype, shape: dataset.shape.map(Number) };
  } catch (error) {
    return { name, state: "refused", error: String(error?.message ?? error) };
  }
}

const lines = fs.openSync(path.join(out, "answers.jsonl"), "w");
names.forEach((name, number) => fs.writeSync(lines, JSON.stringify(answer(name, number)) + "\n"));
