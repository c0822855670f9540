import { expect, test } from "bun:test"
import packaged from "../../../package.json" with { type: "json" }
import { version } from "../../../src/foundation/schema/Scalars.ts"

test("the version that runs is the package's", () => {
  expect(version).toBe(packaged.version)
})
