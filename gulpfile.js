const { dest, src } = require('gulp');
const { Transform } = require('node:stream');

/** Leaves out help links to the repository while the place of its owner's name says OWNER. */
const omitHelpLinks = () =>
	new Transform({
		objectMode: true,
		transform(file, _encoding, done) {
			let text = file.contents.toString();
			if (text.includes('github.com/OWNER')) {
				text = file.path.endsWith('.json')
					? JSON.stringify({ ...JSON.parse(text), resources: undefined })
					: text
							.replace(/^.*documentationUrl = .*\n/m, '')
							.replaceAll(/<a href="https:..github.com.OWNER.*?>(.*?)<.a>/g, '$1');
			}
			file.contents = Buffer.from(text);
			done(null, file);
		},
	});

/** n8n's own build copies icons and output previews; the codex files are left to us. */
exports.default = () =>
	src(['nodes/**/*.node.json', 'dist/**/*.js'], { base: '.' })
		.pipe(omitHelpLinks())
		.pipe(dest((file) => (file.relative.startsWith('dist') ? '.' : 'dist')));
