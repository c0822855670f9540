import { readFileSync } from "node:fs"
import { verify } from "./Signature.js"

const cases = JSON.parse(readFileSync(0, "utf8"))
const verdicts = cases.map(({ body, ...rest }) =>
  verify({ ...rest, body: new Uint8Array(Buffer.from(body, "base64")) })
)
console.log(JSON.stringify((await Promise.all(verdicts)).map(({ valid }) => valid)))
