/** A request for a part of a list of `TOTAL` records, as the service takes it. */
export type Asked = {
	query: Record<string, string>;
	/** The URL of the list, with these parameters in its query. */
	url(parameters: Record<string, string | number>): string;
};

export type Part = {
	records: object[];
	/** Records before this part. */
	start: number;
	/** Records before the next part, or null at the end. */
	next: number | null;
	/** The page's number, from 1. */
	page: number;
	nextPage: number | null;
};

export type PagingStyle = {
	name: string;
	/** Records before the part that is asked for; the first part where the parameter is not known. */
	startOf: (query: Record<string, string>) => number;
	reply: (part: Part, asked: Asked) => { body: unknown; headers?: Record<string, string> };
	/** `followed` to its end, or `stopped` with an error. Ten records without an error are never right. */
	becomes: 'followed' | 'stopped';
};

export const TOTAL = 25;
export const SIZE = 10;
export const PAGES = Math.ceil(TOTAL / SIZE);

const byPage = ({ page }: Record<string, string>) => (Number(page ?? 1) - 1) * SIZE;
const byPageFrom0 = ({ page }: Record<string, string>) => Number(page ?? 0) * SIZE;
const by =
	(name: string) =>
	({ [name]: value }: Record<string, string>) =>
		Number(value?.replace(/\D/g, '') ?? 0);
const never = () => 0;

/** A cursor, and one that a URL would need to encode. */
const cursor = (start: number | null) => (start === null ? null : `c/${start}+=`);

/** A style that is told by the body of the reply. */
const inBody =
	(becomes: PagingStyle['becomes']) =>
	(
		name: string,
		startOf: PagingStyle['startOf'],
		reply: (part: Part, asked: Asked) => unknown,
	): PagingStyle => ({
		name,
		startOf,
		reply: (part, asked) => ({ body: reply(part, asked) }),
		becomes,
	});
const followed = inBody('followed');
const stopped = inBody('stopped');

const inHeaders = (
	name: string,
	becomes: PagingStyle['becomes'],
	startOf: PagingStyle['startOf'],
	headersOf: (part: Part, asked: Asked) => Record<string, string | null>,
): PagingStyle => ({
	name,
	startOf,
	reply: (part, asked) => ({
		body: part.records,
		headers: Object.fromEntries(
			Object.entries(headersOf(part, asked)).map(([key, value]) => [key, value ?? '']),
		),
	}),
	becomes,
});

const pageLink = ({ nextPage }: Part, { url }: Asked) =>
	nextPage === null ? null : url({ page: nextPage });

/** The ways to page of public APIs and of the frameworks behind them. */
const documented: PagingStyle[] = [
	// https://laravel.com/docs/12.x/pagination#converting-results-to-json
	followed('Laravel: paginator', byPage, (part, asked) => ({
		current_page: part.page,
		data: part.records,
		last_page: PAGES,
		next_page_url: pageLink(part, asked),
		per_page: SIZE,
		total: TOTAL,
	})),
	// https://laravel.com/docs/12.x/eloquent-resources#pagination
	followed('Laravel: resources', byPage, (part, asked) => ({
		data: part.records,
		links: { next: pageLink(part, asked), prev: null },
		meta: { current_page: part.page, last_page: PAGES, per_page: SIZE, total: TOTAL },
	})),
	// https://laravel.com/docs/12.x/pagination#simple-pagination
	followed('Laravel: simple paginator', byPage, (part, asked) => ({
		current_page: part.page,
		data: part.records,
		next_page_url: pageLink(part, asked),
		per_page: SIZE,
	})),
	// https://laravel.com/docs/12.x/pagination#cursor-pagination
	followed('Laravel: cursor paginator', by('cursor'), (part) => ({
		data: part.records,
		per_page: SIZE,
		next_cursor: cursor(part.next),
	})),
	// https://www.django-rest-framework.org/api-guide/pagination/#pagenumberpagination
	followed('Django REST framework: page number', byPage, (part, asked) => ({
		count: TOTAL,
		next: pageLink(part, asked),
		results: part.records,
	})),
	// https://www.django-rest-framework.org/api-guide/pagination/#limitoffsetpagination
	followed(
		'Django REST framework: limit and offset',
		by('offset'),
		({ records, next }, { url }) => ({
			count: TOTAL,
			next: next === null ? null : url({ limit: SIZE, offset: next }),
			results: records,
		}),
	),
	// https://jsonapi.org/format/#fetching-pagination
	followed(
		'JSON:API',
		(query) => byPage({ page: query['page[number]'] ?? '1' }),
		({ records, nextPage }, { url }) => ({
			links: nextPage === null ? {} : { next: { href: url({ 'page[number]': nextPage }) } },
			data: records,
		}),
	),
	// https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
	inHeaders('GitHub: Link header', 'followed', byPage, (part, asked) => ({
		link: [
			`<${asked.url({ page: PAGES })}>; rel="last"`,
			...(part.nextPage === null ? [] : [`<${pageLink(part, asked)}>; rel="next"`]),
		].join(', '),
	})),
	// https://docs.gitlab.com/api/rest/#pagination
	inHeaders('GitLab: X-Next-Page', 'stopped', byPage, ({ nextPage, page }) => ({
		'x-next-page': nextPage === null ? '' : String(nextPage),
		'x-page': String(page),
		'x-per-page': String(SIZE),
	})),
	// https://developer.wordpress.org/rest-api/using-the-rest-api/pagination/
	inHeaders('WordPress: X-WP-Total', 'stopped', byPage, () => ({
		'x-wp-total': String(TOTAL),
		'x-wp-totalpages': String(PAGES),
	})),
	// https://www.yiiframework.com/doc/guide/2.0/en/rest-response-formatting#pagination
	inHeaders('Yii: X-Pagination headers', 'followed', byPage, ({ page }) => ({
		'x-pagination-total-count': String(TOTAL),
		'x-pagination-page-count': String(PAGES),
		'x-pagination-current-page': String(page),
		'x-pagination-per-page': String(SIZE),
	})),
	// https://docs.postgrest.org/en/v12/references/api/pagination_count.html
	inHeaders('PostgREST: Content-Range', 'stopped', never, ({ start, records }) => ({
		'content-range': `${start}-${start + records.length - 1}/${TOTAL}`,
	})),
	// https://devcenter.heroku.com/articles/platform-api-reference#ranges
	inHeaders('Heroku: Next-Range', 'stopped', never, ({ next }) => ({
		'next-range': next === null ? null : `]id..; max=${SIZE}`,
	})),
	// https://docs.stripe.com/api/pagination
	stopped('Stripe: has_more', never, ({ records, next }) => ({
		object: 'list',
		data: records,
		has_more: next !== null,
	})),
	// https://docs.slack.dev/apis/web-api/pagination
	followed('Slack: response_metadata', by('cursor'), ({ records, next }) => ({
		ok: true,
		responses: records,
		response_metadata: { next_cursor: cursor(next) ?? '' },
	})),
	// https://developers.notion.com/reference/intro#pagination
	stopped('Notion: start_cursor', never, ({ records, next }) => ({
		object: 'list',
		results: records,
		next_cursor: cursor(next),
		has_more: next !== null,
	})),
	// https://developers.hubspot.com/docs/api-reference/overview
	followed('HubSpot: paging.next.after', by('after'), ({ records, next }, { url }) => ({
		results: records,
		...(next !== null && {
			paging: { next: { after: String(next), link: url({ after: next }) } },
		}),
	})),
	// https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_query.htm
	followed('Salesforce: nextRecordsUrl', by('batch'), ({ records, next }, { url }) => ({
		totalSize: TOTAL,
		done: next === null,
		...(next !== null && { nextRecordsUrl: url({ batch: next }) }),
		records,
	})),
	// https://docs.oasis-open.org/odata/odata-json-format/v4.01/odata-json-format-v4.01.html
	followed('OData: @odata.nextLink', by('$skiptoken'), ({ records, next }, { url }) => ({
		'@odata.context': 'https://forms.example/$metadata#Responses',
		value: records,
		...(next !== null && { '@odata.nextLink': url({ $skiptoken: next }) }),
	})),
	// https://google.aip.dev/158
	stopped('Google: nextPageToken', by('pageToken'), ({ records, next }) => ({
		responses: records,
		nextPageToken: cursor(next) ?? '',
	})),
	// https://developer.zendesk.com/api-reference/introduction/pagination/
	followed('Zendesk: cursor', by('page[after]'), ({ records, next }, { url }) => ({
		responses: records,
		meta: { has_more: next !== null, after_cursor: 'c', before_cursor: 'b' },
		links: { next: next === null ? null : url({ 'page[after]': next }) },
	})),
	// https://airtable.com/developers/web/api/list-records
	stopped('Airtable: offset as a token', by('offset'), ({ records, next }) => ({
		records,
		...(next !== null && { offset: `itr${next}/rec` }),
	})),
	// https://docs.x.com/x-api/fundamentals/pagination
	stopped('X: meta.next_token', never, ({ records }) => ({
		data: records,
		meta: { result_count: SIZE, next_token: 'n2' },
	})),
	// https://developers.facebook.com/docs/graph-api/results
	stopped('Facebook: paging.next', by('after'), ({ records, next }, { url }) => ({
		data: records,
		paging: {
			cursors: { before: 'b', after: `c${next ?? TOTAL}` },
			...(next !== null && { next: url({ after: `c${next}` }) }),
		},
	})),
	// https://www.reddit.com/dev/api/#listings
	stopped('Reddit: data.after', by('after'), ({ records, next }) => ({
		kind: 'Listing',
		data: { after: next === null ? null : `t_${next}`, children: records },
	})),
	// https://docs.spring.io/spring-data/commons/reference/repositories/core-extensions.html
	stopped('Spring Data: Page', byPageFrom0, ({ records, page }) => ({
		content: records,
		number: page - 1,
		size: SIZE,
		totalElements: TOTAL,
		totalPages: PAGES,
		last: page >= PAGES,
		first: page === 1,
		pageable: { pageNumber: page - 1, pageSize: SIZE, offset: (page - 1) * SIZE },
	})),
	// https://docs.spring.io/spring-data/rest/reference/paging-and-sorting.html
	followed(
		'Spring HATEOAS: _links and page',
		byPageFrom0,
		({ records, page, nextPage }, { url }) => ({
			_embedded: { responses: records },
			_links: {
				self: { href: url({}) },
				...(nextPage !== null && { next: { href: url({ page: page }) } }),
			},
			page: { size: SIZE, totalElements: TOTAL, totalPages: PAGES, number: page - 1 },
		}),
	),
	// https://www.elastic.co/docs/reference/elasticsearch/rest-apis/paginate-search-results
	stopped('Elasticsearch: hits.total', never, ({ records }) => ({
		took: 5,
		hits: { total: { value: TOTAL, relation: 'eq' }, hits: records },
	})),
	// https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination
	stopped('Jira: startAt', by('startAt'), ({ records, start }) => ({
		startAt: start,
		maxResults: SIZE,
		total: TOTAL,
		values: records,
	})),
	// https://developer.atlassian.com/cloud/bitbucket/rest/intro/#pagination
	followed('Bitbucket: next', byPage, (part, asked) => ({
		pagelen: SIZE,
		page: part.page,
		values: part.records,
		...(part.nextPage !== null && { next: pageLink(part, asked) }),
	})),
	// https://docs.aws.amazon.com/cli/latest/userguide/cli-usage-pagination.html
	stopped('AWS: NextToken', never, ({ records }) => ({ Items: records, NextToken: 'n2' })),
	// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.Pagination.html
	stopped('DynamoDB: LastEvaluatedKey', never, ({ records }) => ({
		Items: records,
		Count: SIZE,
		LastEvaluatedKey: { id: 'r10' },
	})),
	// https://relay.dev/graphql/connections.htm
	stopped('Relay: pageInfo', never, ({ records }) => ({
		data: { responses: records, pageInfo: { hasNextPage: true, endCursor: 'c10' } },
	})),
	// https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
	stopped('Kubernetes: metadata.continue', never, ({ records }) => ({
		kind: 'List',
		metadata: { continue: 'c10' },
		items: records,
	})),
	// https://www.mediawiki.org/wiki/API:Continue
	stopped('MediaWiki: continue', never, ({ records }) => ({
		continue: { cmcontinue: 'page|1', continue: '-||' },
		results: records,
	})),
	// https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/
	followed('Cloudflare: result_info', byPage, ({ records, page }) => ({
		success: true,
		result: records,
		result_info: { page, per_page: SIZE, total_pages: PAGES, count: SIZE, total_count: TOTAL },
	})),
	// https://developer.squareup.com/docs/build-basics/common-api-patterns/pagination
	stopped('Square: cursor', by('cursor'), ({ records, next }) => ({
		responses: records,
		...(next !== null && { cursor: cursor(next) }),
	})),
	// https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.4
	stopped(
		'SCIM: startIndex',
		({ startIndex }) => Number(startIndex ?? 1) - 1,
		({ records, start }) => ({
			totalResults: TOTAL,
			itemsPerPage: SIZE,
			startIndex: start + 1,
			Resources: records,
		}),
	),
	// https://fractal.thephpleague.com/pagination/
	followed('Fractal: meta.pagination', byPage, (part, asked) => ({
		data: part.records,
		meta: {
			pagination: {
				total: TOTAL,
				count: part.records.length,
				per_page: SIZE,
				current_page: part.page,
				total_pages: PAGES,
				links: part.nextPage === null ? [] : { next: pageLink(part, asked) },
			},
		},
	})),
	// https://api-platform.com/docs/core/pagination/
	followed('API Platform: hydra:view', byPage, (part, asked) => ({
		'hydra:member': part.records,
		'hydra:totalItems': TOTAL,
		'hydra:view': part.nextPage === null ? {} : { 'hydra:next': pageLink(part, asked) },
	})),
	// https://mailchimp.com/developer/marketing/docs/methods-parameters/#pagination
	stopped('Mailchimp: total_items', never, ({ records }) => ({
		responses: records,
		total_items: TOTAL,
	})),
	// https://dummyjson.com/docs
	stopped('DummyJSON: skip', by('skip'), ({ records, start }) => ({
		responses: records,
		total: TOTAL,
		skip: start,
		limit: SIZE,
	})),
	// https://rickandmortyapi.com/documentation/#info-and-pagination
	followed('Rick and Morty: info.next', byPage, (part, asked) => ({
		info: { count: TOTAL, pages: PAGES, next: pageLink(part, asked), prev: null },
		results: part.records,
	})),
];

/** Further ways, of which the rules follow from those above. */
const conceivable: PagingStyle[] = [
	stopped('meta.cursor.next', by('cursor'), ({ records, next }) => ({
		data: records,
		meta: { cursor: { next: cursor(next), prev: null } },
	})),
	followed('a link three levels down', byPage, (part, asked) => ({
		data: part.records,
		meta: { page: { links: { next: pageLink(part, asked) } } },
	})),
	followed('a query alone', byPage, ({ records, nextPage }) => ({
		data: records,
		next: nextPage && `?page=${nextPage}`,
	})),
	stopped('an object of parameters', byPage, ({ records, nextPage }) => ({
		data: records,
		pagination: nextPage === null ? {} : { next: { page: nextPage, limit: SIZE } },
	})),
	followed('a list of links', byPage, (part, asked) => ({
		data: part.records,
		links: [
			{ rel: 'self', href: asked.url({}) },
			...(part.nextPage === null ? [] : [{ rel: 'next', href: pageLink(part, asked) }]),
		],
	})),
	stopped('a number and whether there is more', byPage, ({ records, page, nextPage }) => ({
		data: records,
		page,
		hasMorePages: nextPage !== null,
	})),
	stopped('nothing but the page and its size', byPage, ({ records, page }) => ({
		data: records,
		meta: { page, per_page: SIZE },
	})),
	stopped('nothing but the page, its size and its count', byPage, ({ records, page }) => ({
		data: records,
		meta: { page, per_page: SIZE, count: records.length },
	})),
	stopped('a size that is not kept to', by('offset'), ({ records, start }) => ({
		data: records,
		meta: { offset: start, limit: 100, total: TOTAL },
	})),
	stopped('the next offset', by('offset'), ({ records, next }) => ({
		data: records,
		next_offset: next,
	})),
	inHeaders('X-Next-Cursor', 'followed', by('cursor'), ({ next }) => ({
		'x-next-cursor': cursor(next),
	})),
	inHeaders('X-Pagination as JSON', 'followed', byPage, ({ page }) => ({
		'x-pagination': JSON.stringify({ CurrentPage: page, TotalPages: PAGES, TotalCount: TOTAL }),
	})),
	inHeaders('X-Total-Count', 'stopped', byPage, () => ({ 'x-total-count': String(TOTAL) })),
	inHeaders('X-Has-More', 'stopped', byPage, ({ next }) => ({
		'x-has-more': String(next !== null),
	})),
	stopped('a count', never, ({ records }) => ({ data: records, count: TOTAL })),
	stopped('a count of the page beside one of the pages', never, ({ records }) => ({
		data: records,
		meta: { count: SIZE, total_pages: PAGES },
	})),
	stopped('a total', never, ({ records }) => ({ data: records, total: TOTAL })),
	stopped('a total as text', never, ({ records }) => ({
		data: records,
		meta: { total: String(TOTAL) },
	})),
	stopped('a number of pages', never, ({ records }) => ({ data: records, total_pages: PAGES })),
	stopped('a size that the page just reaches', never, ({ records }) => ({
		data: records,
		limit: SIZE,
	})),
	stopped('a last page that is not this one', never, ({ records }) => ({
		data: records,
		is_last: false,
	})),
	stopped('a truncation', never, ({ records }) => ({ data: records, meta: { truncated: true } })),
	stopped('a next page that is only true', never, ({ records }) => ({ data: records, next: true })),
	stopped('a next page of an unknown kind', never, ({ records }) => ({
		data: records,
		paging: { next: { shard: 4 } },
	})),
	stopped('a cursor that is not taken', never, ({ records }) => ({
		data: records,
		next_cursor: 'c10',
	})),
	stopped('a page number that is not taken', never, ({ records }) => ({
		data: records,
		next_page: 2,
	})),
];

export const pagingStyles = [...documented, ...conceivable];
