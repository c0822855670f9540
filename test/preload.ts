import { relative } from "node:path"
import { source } from "./kept.ts"

/** Crawls and imports in the tests' own process start the same programs as the package, from one file each: sources take four times the CPU at a start. */
Bun.plugin({
  name: "children",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/(?:Crawl|Decode)Process\.ts$/ }, async ({ path }) => {
      const { address } = await import("./children.ts")
      const text = await Bun.file(path).text()
      return { contents: text.replaceAll("import.meta.url", address(relative(source, path))), loader: "ts" }
    })
  }
})
