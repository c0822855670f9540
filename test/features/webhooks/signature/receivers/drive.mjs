import { readFileSync } from "node:fs"
import { isGenuine } from "./receiver.mjs"

const cases = JSON.parse(readFileSync(0, "utf8"))
console.log(JSON.stringify(cases.map((c) => isGenuine(Buffer.from(c.body, "base64"), c.header, c.secret, c.now))))
