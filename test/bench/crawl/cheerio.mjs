/** Crawls a site by crawlee's Cheerio crawler, six requests at a time, and prints how many pages it read. Copied to where crawlee is installed. */
import { CheerioCrawler, Configuration, LogLevel, log } from "@crawlee/cheerio"

log.setLevel(LogLevel.OFF)
const [start, most] = process.argv.slice(2)
const pages = []
const crawler = new CheerioCrawler(
  {
    maxConcurrency: 6,
    minConcurrency: 6,
    maxRequestsPerCrawl: Number(most),
    respectRobotsTxtFile: true,
    async requestHandler({ $, enqueueLinks, request }) {
      pages.push({
        url: request.loadedUrl,
        title: $("title").text(),
        description: $("meta[name=description]").attr("content"),
        canonical: $("link[rel=canonical]").attr("href"),
        headings: $("h1")
          .toArray()
          .map((heading) => $(heading).text()),
        words: $("body").text().split(/\s+/).length
      })
      await enqueueLinks()
    }
  },
  new Configuration({ persistStorage: false, purgeOnStart: false })
)
await crawler.run([start])
console.log(pages.length)
