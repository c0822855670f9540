import { pages } from "./pages.ts"
import { heapStats } from "bun:jsc"
import { readingPage } from "/work/main/src/crawl/page/Page.ts"
const h = () => { Bun.gc(true); const s = heapStats(); return s }
for (const k of ["2 MiB of links","10 MiB of HTML","2 MiB of attributes","2 MiB of text","2 MiB of nesting"] as const) {
  const bytes = pages[k]().bytes.subarray(0, 2*1048576)
  h(); await Bun.sleep(50)
  const b = h().heapSize
  const work = readingPage({url:"http://a.test/",bytes,charset:"utf-8"})
  let n=0, sum=0; const out=[]
  for (;;) { const s = work.next(); if (s.done) break; sum += s.value; const g=heapStats().heapSize; const a = h(); if (n++ % 12 === 0 || s.value>40000) out.push(`${(sum/1e6).toFixed(1)}M live ${((a.heapSize-b)/1e6).toFixed(0)} (before gc ${((g-b)/1e6).toFixed(0)}) ${Object.entries(a.objectTypeCounts).sort((x,y)=>y[1]-x[1]).slice(0,5).map(x=>x.join(":"))}`) }
  console.log(k + "\n  " + out.join("\n  "))
}
