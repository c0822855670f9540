import { type Language, language } from "./HeaderNames.ts"

/** Header names in the languages that are written in other letters than Latin ones. */
export const otherLanguages: ReadonlyArray<Language> = [
  language("comma", {
    date: ["дата"],
    query: ["запрос", "запросы", "популярные запросы", "самые популярные запросы", "поисковый запрос"],
    page: ["страница", "страницы", "популярные страницы", "самые популярные страницы", "верхние страницы"],
    clicks: ["клики"],
    impressions: ["показы"],
    position: ["позиция", "средняя позиция"],
    country: ["страна", "страны"],
    device: ["устройство", "устройства"]
  }),
  language("comma", {
    query: ["найпопулярніші запити", "запит", "запити"],
    page: ["найпопулярніші сторінки", "сторінка", "сторінки"],
    clicks: ["звертання", "кліки"],
    impressions: ["покази"],
    position: ["позиція"]
  }),
  language("comma", {
    query: ["ερώτημα"],
    clicks: ["κλικ"],
    impressions: ["εμφανίσεις"],
    position: ["θέση"]
  }),
  language("comma", {
    page: ["страници"],
    clicks: ["кликвания"],
    impressions: ["импресии"]
  }),
  language("dot", {
    query: ["أهم طلبات البحث"],
    page: ["أهم الصفحات"],
    clicks: ["النقرات"],
    impressions: ["عدد الظهور"],
    ctr: ["نسبة النقر إلى الظهور"],
    position: ["موضع"]
  }),
  language("dot", {
    date: ["תאריך"],
    query: ["השאילתות המובילות", "שאילתות מובילות"],
    page: ["הדפים המובילים"],
    clicks: ["קליקים"],
    impressions: ["חשיפות", "הופעות"],
    ctr: ["שיעור קליקים"],
    position: ["מיקום", "מקום"]
  }),
  language("dot", {
    query: ["ข้อความค้นหายอดนิยม"],
    clicks: ["การคลิก"],
    impressions: ["การแสดงผล"],
    position: ["อันดับ"]
  }),
  language("dot", {
    query: ["熱門查詢項目", "查詢", "熱門查詢"],
    page: ["熱門網頁", "網頁"],
    clicks: ["點擊", "點擊次數"],
    impressions: ["曝光", "曝光次數"],
    ctr: ["點閱率"],
    position: ["排序", "平均排序"],
    country: ["國家/地區"],
    device: ["裝置"]
  }),
  language("dot", {
    date: ["日付", "日"],
    query: ["クエリ", "上位のクエリ", "検索キーワード"],
    page: ["ページ", "上位のページ"],
    clicks: ["クリック数"],
    impressions: ["表示回数"],
    position: ["掲載順位", "平均掲載順位"],
    country: ["国"],
    device: ["デバイス"]
  }),
  language("dot", {
    date: ["日期", "날짜"],
    query: ["查询", "热门查询", "热门查询内容", "검색어", "인기 검색어", "상위 쿼리", "쿼리"],
    page: ["网页", "热门网页", "排名靠前的网页", "페이지", "인기 페이지", "상위 페이지"],
    clicks: ["点击次数", "클릭수"],
    impressions: ["展示", "展示次数", "노출", "노출수"],
    ctr: ["点击率", "클릭률"],
    position: ["排名", "平均排名", "게재순위", "게재 순위", "평균 게재순위", "평균 게재 순위"],
    country: ["国家/地区", "国家", "국가"],
    device: ["设备", "기기"]
  })
]
