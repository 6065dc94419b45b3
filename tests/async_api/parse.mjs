// What the official parser says of each document in the list on standard input, as JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const { Parser } = require("@asyncapi/parser");

const parser = new Parser();
const found = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const { diagnostics, document } = await parser.parse(text);
  found.push({
    faults: diagnostics.map((each) => ({
      severity: each.severity,
      code: String(each.code),
      at: each.path.join("."),
    })),
    messages: document ? document.allMessages().all().map((each) => each.name()) : [],
  });
}
process.stdout.write(JSON.stringify(found));
