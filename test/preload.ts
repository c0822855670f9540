import { dirname, relative } from "node:path"
import { source } from "./kept.ts"
import { children } from "./package/bundle.ts"

/** The modules beside the programs that read foreign data. */
const beside = new RegExp(`/src/(?:${children.map((child) => dirname(dirname(child))).join("|")})/\\w+\\.ts$`)

/** Such a program starts from one file in the tests' own process too, as in the package: sources take four times the CPU at a start. */
Bun.plugin({
  name: "children",
  setup: ({ onLoad }) => {
    onLoad({ filter: beside }, async ({ path }) => {
      const text = await Bun.file(path).text()
      if (!text.includes('"child/main.ts"')) return { contents: text, loader: "ts" }
      const { address } = await import("./children.ts")
      return { contents: text.replaceAll("import.meta.url", address(relative(source, path))), loader: "ts" }
    })
  }
})
