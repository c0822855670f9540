"""Crawls a site by Scrapy's own means, six requests at a time, and prints how many pages it read: what a user of Scrapy begins with."""
import logging
import sys

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

start, most = sys.argv[1], int(sys.argv[2])
pages = []


class Pages(Spider):
    name = "pages"
    start_urls = [start]
    links = LinkExtractor(allow=[start])

    def parse(self, response):
        pages.append(
            {
                "url": response.url,
                "title": response.css("title::text").get(),
                "description": response.css("meta[name=description]::attr(content)").get(),
                "canonical": response.css("link[rel=canonical]::attr(href)").get(),
                "headings": response.css("h1::text").getall(),
                "words": sum(len(text.split()) for text in response.css("body ::text").getall()),
            }
        )
        for link in self.links.extract_links(response):
            yield response.follow(link, self.parse)


logging.disable(logging.CRITICAL)
process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS_PER_DOMAIN": 6,
        "ROBOTSTXT_OBEY": True,
        "CLOSESPIDER_PAGECOUNT": most,
        "TELNETCONSOLE_ENABLED": False,
    }
)
process.crawl(Pages)
process.start()
print(len(pages))
