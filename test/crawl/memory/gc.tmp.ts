import { pages } from "./pages.ts"
import { readFileSync, writeFileSync } from "node:fs"
import { readText } from "/work/main/src/crawl/page/Page.ts"
import { parseDocument } from "/work/main/src/crawl/page/ParseDocument.ts"
import { outline } from "/work/main/src/crawl/page/Outline.ts"
import { textFacts } from "/work/main/src/crawl/page/TextFacts.ts"
import { finish } from "/work/main/src/crawl/page/Steps.ts"
const what = process.argv[2]!, k = process.argv[3]! as "ordinary"
const rss = (n="VmRSS") => Number(new RegExp(n+":\\s+(\\d+)").exec(readFileSync("/proc/self/status","utf8"))![1])/1024
const ord = new TextDecoder().decode(pages.ordinary().bytes)
for (let i=0;i<20;i++) readText("http://a.test/", ord, {name:"utf-8",source:"header"}, 1)
const bytes = pages[k]().bytes.subarray(0, 2*1048576)
Bun.gc(true); await Bun.sleep(300); Bun.gc(true); const base = rss(); writeFileSync("/proc/self/clear_refs","5")
const each=[]
for (let i=0;i<4;i++) {
  const text = new TextDecoder().decode(bytes)
  const t0=performance.now(), c0=process.cpuUsage().user
  if (what==="facts") readText("http://a.test/", text, {name:"utf-8",source:"header"}, 1)
  else if (what==="tree") finish(parseDocument(text))
  else if (what==="outline") outline(finish(parseDocument(text)))
  else if (what==="text") textFacts(outline(finish(parseDocument(text))))
  each.push(((performance.now()-t0)|0)+"/"+((process.cpuUsage().user-c0)/1000|0))
  Bun.gc(true)
  each.push(`+${(rss("VmHWM")-base)|0}`); writeFileSync("/proc/self/clear_refs","5")
  await Bun.sleep(0)
}
console.log(what, k, each.join(" "))
