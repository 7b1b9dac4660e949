/**
 * Runs on the page of a form that tracks incomplete submissions: half a second after the last key, and when
 * the page is left, it sends what has been typed. Files are left for the submission itself.
 */
export const partialScript = `
	const form = document.querySelector('form');
	let timer;
	let submitted = false;
	const send = () => {
		clearTimeout(timer);
		timer = undefined;
		const data = new FormData(form);
		for (const [key, value] of [...data]) if (typeof value !== 'string') data.delete(key);
		fetch(form.dataset.partial, { method: 'POST', body: new URLSearchParams(data), keepalive: true })
			.catch(() => {});
	};
	form.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(send, 500);
	});
	form.addEventListener('submit', () => {
		submitted = true;
		clearTimeout(timer);
	});
	addEventListener('pagehide', () => {
		if (timer !== undefined && !submitted) send();
	});
`;
